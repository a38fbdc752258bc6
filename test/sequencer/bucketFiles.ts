import { S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { s3Storage } from '../../functions/sequencer/s3Storage.ts';
import { startCloud } from './cloud.ts';
import type { LogFiles } from './logFixture.ts';

/** A log's files in a bucket of its own, through the storage and the S3 client of a deployment. Open it in a test. */
export async function openBucket(): Promise<LogFiles & Pick<Awaited<ReturnType<typeof startCloud>>, 'disturb'>> {
  const { environment, objects, disturb, close } = await startCloud();
  const settings = {
    endpoint: environment.AWS_ENDPOINT_URL_S3,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 5,
  };
  const s3 = new S3Client(settings);
  onTestFinished(() => {
    s3.destroy();
    close();
  });
  const network = s3.config.requestHandler;
  return {
    disturb,
    storage: (intercept) => {
      const handle: typeof network.handle = async (request, options) => {
        const call = `storage.${request.method}`;
        await intercept(call, 'before');
        const answer = await network.handle(request, options);
        try {
          await intercept(call, 'after');
        } catch (error) {
          // Nobody reads it any more.
          answer.response.body?.destroy();
          throw error;
        }
        return answer;
      };
      return s3Storage(new S3Client({ ...settings, requestHandler: { handle } }), 'bucket');
    },
    read(path) {
      const object = objects.get(path);
      if (!object) throw new Error(`The bucket has no ${path}.`);
      return object.body;
    },
    paths: () => [...objects.keys()],
  };
}
