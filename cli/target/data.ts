import { join } from 'node:path';
import { tableNames } from './tableNames.ts';

/** The folder for all data of the local run, in the working directory. */
export const LOCAL_FOLDER = '.local';

/** The demo team's credentials, in the local folder. */
export const DEMO_FILE = join(LOCAL_FOLDER, 'demo.env');

/** The key file that seals the credentials of local keys. */
export const KEY_FILE = join(LOCAL_FOLDER, 'credentials.key');

/** The files of the transparency log. */
export const TLOG_FOLDER = join(LOCAL_FOLDER, 'tlog');

/** The trust policy of the transparency log. `npm start` writes it, and `ailog verify` reads it. */
export const POLICY_FILE = join(LOCAL_FOLDER, 'tlog.policy');

/** The name of the transparency log of a local run. */
export const LOCAL_ORIGIN = 'localhost/ailog';

/** The tables of the local run. */
export const localTables = tableNames('AiLogUpload-local-');

/** The SDK's settings for an embedded engine. The engine accepts any credentials, but the SDK needs some. */
export const localIdentity = {
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;
