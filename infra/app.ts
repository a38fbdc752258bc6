import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { readSettings, WrongSettings } from './settings.ts';
import { UploadStack } from './stack.ts';

/** The rules that the stack is held against; whatever they find fails the synth, unless a reason is written beside it. */
export const rulePacks = () => [new AwsSolutionsChecks(), new ServerlessChecks()];

/**
 * The CDK app: one stack, made of the settings in its context, held against the rules below when it is synthesised.
 * @throws WrongSettings
 */
export function createApp(props?: AppProps): App {
  const app = new App(props);
  Validations.of(app).addPlugins(...rulePacks());
  new UploadStack(app, readSettings(app.node.getAllContext()));
  return app;
}

if (import.meta.main) {
  try {
    createApp();
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    // Its sentences are for whoever typed the settings, to whom a stack trace says nothing.
    console.error(error.message);
    process.exitCode = 1;
  }
}
