import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { signedUpload } from '../setup/upload.ts';
import { useDeployment } from './deployment.ts';
import { send } from './send.ts';

/** The setting `analytics`, turned on for a stage that has entries, off, and on again. */
const stack = await useDeployment();

const bucketOf = () => stack.deployed.analytics.bucket;
const rowFiles = async () => {
  const { Contents = [] } = await stack.s3.send(new ListObjectsV2Command({ Bucket: bucketOf(), Prefix: 'entries/' }));
  return Contents.map(({ Key }) => Key);
};
const upload = async (count: number) => {
  for (let one = 0; one < count; one += 1)
    expect((await send(stack.deployed.baseUrl, signedUpload(stack.team))).status).toBe(200);
};
const checks = async (): Promise<Record<string, string>> => {
  const found: { checks: { check: string; says: string }[] } = JSON.parse(
    await stack.ailog.onStack('ops', 'check', '--json'),
  );
  return Object.fromEntries(found.checks.map(({ check, says }) => [check, says]));
};
const reported = async () => JSON.parse(await stack.ailog.onStack('report', '--json')).teams[0]?.entries;

test('right after uploads, the last of them is what a check says', async () => {
  await upload(4);
  expect((await checks())['last upload']).toMatch(/^\d+ s ago, UID 42$/);
});

test('on: earlier entries get their rows by a backfill, new ones by the stream', async () => {
  const before = stack.deployed;
  stack.deployed = await stack.cdk.deploy({ analytics: 'true' });
  expect(stack.deployed).toMatchObject({ tables: before.tables, analytics: { bucket: before.analytics.bucket } });
  await upload(4);
  expect((await checks())['last upload']).toMatch(/^\d+ s ago, UID 42$/);
  const missing = async () => {
    expect(await stack.runSequencer()).toBeUndefined();
    return JSON.parse(await stack.ailog.onStack('data', 'backfill', '--json'));
  };
  await expect.poll(missing, { timeout: 150_000, interval: 5000 }).toMatchObject({ missing: 0, left: 0, size: 8 });
  expect(await reported()).toBe(8);
});

test('off and on again: the files of rows are where they were', async () => {
  const [bucket, files] = [bucketOf(), await rowFiles()];
  expect(files.length).toBeGreaterThan(0);
  for (const analytics of ['false', 'true']) {
    stack.deployed = await stack.cdk.deploy({ analytics });
    expect([bucketOf(), await rowFiles()]).toEqual([bucket, files]);
  }
  await upload(1);
  expect(await reported()).toBe(9);
});
