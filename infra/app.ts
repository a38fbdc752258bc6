import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readSettings, WrongSettings } from './settings.ts';
import { UploadStack } from './stack.ts';

/**
 * The CDK app: one stack, made of the settings in its context, held against the AwsSolutions rules when it is synthesised.
 * @throws WrongSettings
 */
export function createApp(props?: AppProps): App {
  const app = new App(props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
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
