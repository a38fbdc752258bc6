import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { readSettings, WrongSettings } from './readSettings.ts';
import { UploadStack } from './stack.ts';

/** The cdk-nag rules for the stack. A finding fails the synth unless it is acknowledged with a reason. */
export const rulePacks = () => [new AwsSolutionsChecks(), new ServerlessChecks()];

/** Creates the CDK app: one stack, by the settings in the context, checked by `rulePacks`. @throws WrongSettings */
export function createApp(props?: AppProps): App {
  const app = new App(props);
  Validations.of(app).addPlugins(...rulePacks());
  const settings = readSettings(app.node.getAllContext());
  // Before anything is built: the CDK CLI sets the account if it has credentials.
  if (app.node.tryGetContext('ailog:deploy') === 'true' && !process.env.CDK_DEFAULT_ACCOUNT)
    throw new WrongSettings(
      'There are no valid AWS credentials for a deployment. Set AWS_PROFILE, or append --profile NAME: aws sts get-caller-identity must show your account.',
    );
  new UploadStack(app, settings);
  return app;
}

if (import.meta.main) {
  try {
    createApp();
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    // The message is for the person who typed the settings: a stack trace would not help.
    console.error(error.message);
    process.exitCode = 1;
  }
}
