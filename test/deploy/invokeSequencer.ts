import { InvokeCommand, type LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';

/** Runs the deployed sequencer once, besides its schedule. @returns its error; undefined if it succeeded */
export async function invokeSequencer(lambda: LambdaClient): Promise<string | undefined> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand());
  const name = Functions.find(({ FunctionName }) => FunctionName?.includes('Sequencer'))?.FunctionName;
  const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName: name }));
  return FunctionError && Buffer.from(Payload ?? '').toString();
}
