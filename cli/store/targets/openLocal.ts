import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fileDecrypt } from '../../../functions/auth/credentialStore.ts';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { readWhole } from '../../shell/files/readWhole.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN, localIdentity, localPaths, localTables, readDemo } from './data.ts';
import { engineAt } from './embeddedEngine.ts';
import { documents, type OpenedTarget, timeouts, unlogged } from './openedTarget.ts';
import { fileSeal } from './seal.ts';

/** Opens the local data in the engine of the environment, in that of `npm start`, or in one for this command. */
export async function openLocal({ cwd, env }: Terminal) {
  const folder = join(cwd(), LOCAL_FOLDER);
  const keyFile = join(cwd(), localPaths.key);
  if (!existsSync(keyFile)) {
    throw new Failure('usage', `There is no local data in ${folder}.`, { advice: 'Run npm start once to create it.' });
  }
  const engine = await engineAt(env.AWS_ENDPOINT_URL_DYNAMODB ?? env.DYNAMODB_ENDPOINT, folder);
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity, ...timeouts, ...unlogged });
  const reviewer = `local:${env.AILOG_REVIEWER || userInfo().username}`;
  return {
    client,
    opened: {
      name: 'the local data',
      tlogUrl: undefined,
      baseUrl: readDemo(join(cwd(), localPaths.demo))?.AILOG_URL,
      db: documents(client),
      tables: localTables,
      seal: fileSeal(keyFile),
      decrypt: fileDecrypt(keyFile),
      rowsFolder: join(cwd(), localPaths.rows),
      who: async () => `local:${userInfo().username}`,
      caller: async () => ({ id: reviewer, arn: reviewer }),
      openTlog: async () => {
        const { folderFiles } = await import('./tlogFiles.ts');
        // `npm start` writes it, with the keys and the witnesses of its log.
        const path = join(cwd(), localPaths.policy);
        const policy = existsSync(path) ? String(readWhole(path)) : undefined;
        return {
          origin: LOCAL_ORIGIN,
          files: folderFiles(join(cwd(), localPaths.tlog)),
          witnesses: policy,
          checkpointKeys: async () => (policy === undefined ? [] : parsePolicy(policy).logs.map(({ key }) => key)),
        };
      },
    } satisfies OpenedTarget,
    close: async () => {
      client.destroy();
      await engine.stop();
    },
  };
}
