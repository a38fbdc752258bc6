import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { IndexerEnvironment } from '../../functions/indexer/config.ts';
import { bundle as bundleFunction, SOURCES } from '../../infra/build/bundle.ts';
import { execute, startCloud, temporaryFolder } from '../setup/world.ts';
import { entryOf, streamed } from './indexerFixture.ts';

/** In bytes, most of them the AWS SDK. A larger bundle means that a package was added by accident. */
const SIZE_LIMIT = 460_000;

const cloud = await startCloud();
const bundle = bundleFunction(SOURCES.indexer, temporaryFolder());
const variables: IndexerEnvironment = { ANALYTICS_BUCKET: 'bucket', SERVICE_NAME: 'test' };
const environment = {
  ...{ PATH: process.env.PATH, AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  ...cloud.environment,
  ...variables,
};

/** Runs the bundle once in a process of its own, as Lambda does. */
function run(event: object, env: NodeJS.ProcessEnv = environment) {
  const program = `require(process.argv[1]).handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 900000 }).then((answer) => console.log(JSON.stringify(answer)))`;
  return execute([process.execPath, '-e', program, bundle], { env });
}

test('the bundle stores the rows of a batch, and logs one line with metrics', async () => {
  expect(readFileSync(bundle).length).toBeLessThan(SIZE_LIMIT);
  const { stdout } = await run(streamed([entryOf(1), entryOf(2)]));
  const [line, answer] = stdout.split('\n').map((text) => text && JSON.parse(text));
  expect(line).toMatchObject({ message: 'indexed', rows: 2, service: 'test', RowsIndexed: 2 });
  expect(answer).toEqual({ batchItemFailures: [] });
  expect([...cloud.objects.keys()]).toHaveLength(2);
});

test('an environment that is not whole is named as a whole', async () => {
  const { exitCode, stderr } = await run({}, { PATH: process.env.PATH });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('ANALYTICS_BUCKET (a bucket name), SERVICE_NAME (the name of the stack)');
});
