import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { perTable, type TableId, tables } from '../../../infra/tables.ts';
import { readWhole } from '../../shell/files/readWhole.ts';

export const tableNames = (prefix: string): Record<TableId, string> => perTable((id) => `${prefix}${tables[id].name}`);

/** The folder for all data of the local run, in the working directory. */
export const LOCAL_FOLDER = '.local';

export const localPaths = {
  demo: join(LOCAL_FOLDER, 'demo.env'),
  key: join(LOCAL_FOLDER, 'credentials.key'),
  tlog: join(LOCAL_FOLDER, 'tlog'),
  /** The trust policy of the transparency log. `npm start` writes it, and `ailog verify` reads it. */
  policy: join(LOCAL_FOLDER, 'tlog.policy'),
  rows: join(LOCAL_FOLDER, 'rows'),
  /** The file that a run of `npm start` locks: two runs would write the same transparency log. */
  startLock: join(LOCAL_FOLDER, 'start'),
} as const;

export const LOCAL_ORIGIN = 'localhost/ailog';

export const localTables = tableNames('AiLogUpload-local-');

/** The SDK's settings for an embedded engine. The engine accepts any credentials, but the SDK needs some. */
export const localIdentity = {
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;

/** The variables of `.local/demo.env`: everything that a client needs to upload to the local run. */
export const DEMO_NAMES = [
  'AILOG_URL',
  'AILOG_ACCESS_KEY',
  'AILOG_SECRET',
  'AILOG_PASSPHRASE',
  'AILOG_UID',
  'AILOG_DYNAMODB_ENDPOINT',
] as const;

export type Demo = Readonly<Record<(typeof DEMO_NAMES)[number], string>>;

/** Reads a demo file: one `export NAME='value'` per line. Undefined if it is missing or incomplete. */
export function readDemo(path: string): Demo | undefined {
  if (!existsSync(path)) return undefined;
  const demo = parseEnv(String(readWhole(path)));
  return DEMO_NAMES.every((name) => name in demo) ? (demo as Demo) : undefined;
}
