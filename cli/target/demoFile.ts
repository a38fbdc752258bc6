import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The variables of `.local/demo.env`: everything that a client needs to upload to the local run. */
export const DEMO_NAMES = [
  /** The base URL, without the path. */
  'AILOG_URL',
  'AILOG_ACCESS_KEY',
  'AILOG_SECRET',
  'AILOG_PASSPHRASE',
  'AILOG_UID',
  /** The URL of the DynamoDB engine. */
  'AILOG_DYNAMODB_ENDPOINT',
] as const;

/** The credentials of the demo team, and the URLs of the local run. */
export type Demo = Readonly<Record<(typeof DEMO_NAMES)[number], string>>;

/** Reads a demo file: one `export NAME='value'` per line. Undefined if it is missing or incomplete. */
export function readDemo(path: string): Demo | undefined {
  if (!existsSync(path)) return undefined;
  const demo = parseEnv(readFileSync(path, 'utf8'));
  return DEMO_NAMES.every((name) => name in demo) ? (demo as Demo) : undefined;
}
