import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fileDecrypt } from '../../functions/auth/credentialStore.ts';
import { fileDecryptReceiptKey } from '../../functions/receipts/receiptKeys.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  DEMO_FILE,
  KEY_FILE,
  LOCAL_FOLDER,
  LOCAL_ORIGIN,
  localIdentity,
  localTables,
  readDemo,
  TLOG_FOLDER,
} from './data.ts';
import { type Engine, startEngine } from './engine.ts';
import { documents, type OpenedTarget, timeouts } from './openedTarget.ts';
import { fileSeal } from './seal.ts';

/** The lag and the pause of the local sequencer, and time to write. */
const LOCAL_DELAY_MS = 7000;

/**
 * Opens the local data in the engine at `DYNAMODB_ENDPOINT`, in the one that `npm start` runs, or in one for this
 * command.
 */
export async function openLocal({ cwd, env }: Terminal) {
  const folder = join(cwd(), LOCAL_FOLDER);
  const keyFile = join(cwd(), KEY_FILE);
  if (!existsSync(keyFile)) {
    throw new Failure('usage', `There is no local data in ${folder}.`, { advice: 'Run npm start once to create it.' });
  }
  const endpoint = env.AWS_ENDPOINT_URL_DYNAMODB ?? env.DYNAMODB_ENDPOINT;
  const engine: Engine = endpoint
    ? { endpoint, stop: async () => {} }
    : await startEngine(folder).catch((cause) => {
        throw cause instanceof Failure ? cause : new Failure('unreachable', (cause as Error).message, { cause });
      });
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity, ...timeouts });
  return {
    client,
    opened: {
      name: 'the local data',
      baseUrl: readDemo(join(cwd(), DEMO_FILE))?.AILOG_URL,
      db: documents(client),
      tables: localTables,
      seal: fileSeal(keyFile),
      decrypt: fileDecrypt(keyFile),
      who: async () => `local:${userInfo().username}`,
      openTlog: async () => {
        const { folderFiles } = await import('./tlogFiles.ts');
        return {
          origin: LOCAL_ORIGIN,
          files: folderFiles(join(cwd(), TLOG_FOLDER)),
          witnesses: undefined,
          decryptReceiptKey: fileDecryptReceiptKey(keyFile),
          usualDelay: LOCAL_DELAY_MS,
        };
      },
    } satisfies OpenedTarget,
    close: async () => {
      client.destroy();
      await engine.stop();
    },
  };
}
