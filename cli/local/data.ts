import { join } from 'node:path';
import { tableNames } from './createTables.ts';

/** Where the local run keeps everything, in the folder it is started in. */
export const LOCAL_FOLDER = '.local';

/** The demo team's credentials, in the local folder. */
export const DEMO_FILE = join(LOCAL_FOLDER, 'demo.env');

/** The key file that seals the credentials of local keys. */
export const KEY_FILE = join(LOCAL_FOLDER, 'credentials.key');

/** The tables of the local run. */
export const localTables = tableNames('AiLogUpload-local-');

/** An engine takes any credentials, but the SDK wants some. */
export const anyone = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } } as const;
