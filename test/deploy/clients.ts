import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Emulator } from './emulator.ts';

/** Clients of the services that tests look into. @param options of the root user, or of a role */
export function clientsOf(options: Emulator['client']) {
  const dynamodb = new DynamoDBClient(options);
  const lambda = new LambdaClient(options);
  return {
    dynamodb,
    db: DynamoDBDocumentClient.from(dynamodb),
    kms: new KMSClient(options),
    lambda,
    s3: new S3Client({ ...options, forcePathStyle: true }),
    /** Runs the deployed sequencer once, besides its schedule. @returns its error; undefined if it succeeded */
    async runSequencer(): Promise<string | undefined> {
      const { Functions = [] } = await lambda.send(new ListFunctionsCommand());
      const name = Functions.find(({ FunctionName }) => FunctionName?.includes('Sequencer'))?.FunctionName;
      const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName: name }));
      return FunctionError && Buffer.from(Payload ?? '').toString();
    },
  };
}
