/** The local data that transcripts start with: built once, and copied for each. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderStorage } from '../../cli/local/tlogFolder.ts';
import { localPaths } from '../../cli/store/targets/data.ts';
import { run } from '../../functions/sequencer/sequence.ts';
import { exampleLogJson } from '../../infra/openapi/exampleLog.ts';
import {
  type LocalWorld,
  localWorld,
  logText,
  noDeadline,
  runCommand,
  serveLog,
  startService,
  type Team,
  temporaryFolder,
} from '../setup/world.ts';

const OLD = '2025-01-01T00:00:00.000Z';
const ADMIN = { updatedAt: OLD, updatedBy: 'local:admin' };

/** Files that commands can read. `log.json` is a log with an order, `wrong.json` one that would be rejected. */
const FILES: Readonly<Record<string, string>> = {
  'log.json': logText({ orderId: 590480926522704171n, stage: 'Decision Making', model: 'GPT-5-mini' }),
  'decision.json': `${exampleLogJson}\n`,
  'wrong.json': '{"stage":"","model":"GPT-5-mini"}',
  'existing.env': 'AILOG_ACCESS_KEY=bg_5af\nAILOG_SECRET=s3cret\nAILOG_PASSPHRASE="pass phrase"\n',
  'teams.csv': 'uid,team,note\n1001,Alpha,\n1003,Gamma,\n2001,Epsilon,new\n2002,Zeta,\n',
  'orders.csv':
    'uid,order_id,time\n1001,590480926522704171,2025-11-14 09:30:00\n1002,590480926522704999,2025-11-14 10:00:00\n',
};

/** Adds everything that was uploaded to the transparency log. */
function sequence({ folder, runOptions }: LocalWorld) {
  const storage = folderStorage(join(folder, localPaths.tlog));
  return run({ ...runOptions, storage, lagMs: 0, now: () => Date.now() + 1 }, noDeadline());
}

const envFile = ({ accessKey, secret, passphrase }: Team, url: string) =>
  `AILOG_URL=${url}\nAILOG_ACCESS_KEY=${accessKey}\nAILOG_SECRET=${secret}\nAILOG_PASSPHRASE=${passphrase}\n`;

/** What a transcript has: a folder with local data, and the texts that stand for what differs from run to run. */
export interface Place {
  readonly folder: string;
  /** Ids of this run by the placeholders of a transcript. */
  readonly names: Map<string, string>;
  /** Other texts by their placeholders, of which the length differs from run to run. */
  readonly uneven: ReadonlyMap<string, string>;
  readonly sequence: () => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/**
 * Builds the world: the teams 1001 Alpha (`<key-1>`, with the entries `<entry-1>` to `<entry-3>`), 1002 Beta
 * (`<key-2>`, `<entry-4>`), 1003 Gamma, which is suspended, and 1004 Delta, which is disqualified. All entries are in
 * the transparency log, whose policy is `tlog.policy`. `alpha.env` and `beta.env` have the credentials of teams.
 * @returns `open` copies it into a new folder; `empty`: without teams and entries
 */
export async function buildWorld() {
  const empty = temporaryFolder();
  const first = await localWorld();
  const built = first.folder;
  await first.close();
  // The note about the receipt key of the tables.
  cpSync(first.logFolder, join(built, localPaths.tlog), { recursive: true });
  cpSync(built, empty, { recursive: true });
  const again = await localWorld(built);
  const policy = await again.policy();
  for (const folder of [built, empty]) writeFileSync(join(folder, localPaths.policy), policy);
  for (const [uid, team, status, reason] of [
    ['1001', 'Alpha', 'approved'],
    ['1002', 'Beta', 'approved'],
    ['1003', 'Gamma', 'suspended', 'key leaked'],
    ['1004', 'Delta', 'disqualified', 'no AI behind its orders'],
  ] as const) {
    await again.allowlist.put({ uid, team, status, ...(reason && { reason }), ...ADMIN });
  }
  const alpha = await again.issue('1001', { createdAt: OLD, label: 'bot', ...ADMIN });
  const beta = await again.issue('1002', { createdAt: '2025-02-01T00:00:00.000Z', ...ADMIN });
  const now = Date.now();
  const entries = [
    await again.uploadAt(
      alpha,
      now - 400,
      logText({ orderId: 590480926522704171n, stage: 'Decision Making', model: 'GPT-5-mini' }),
    ),
    await again.uploadAt(alpha, now - 300, logText({ stage: 'Risk', explanation: 'one\ntwo' })),
    await again.uploadAt(alpha, now - 200, logText({ stage: 'Risk', model: 'Claude' })),
    await again.uploadAt(beta, now - 100, logText({ orderId: 590480926522704999n })),
  ];
  await sequence(again);
  await runCommand(['tlog', 'export-policy', '-o', 'tlog.policy'], { cwd: built });
  await again.close();
  for (const [name, text] of Object.entries(FILES)) {
    for (const folder of [built, empty]) writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  const ids = [
    ...entries.map((id, at) => [`<entry-${at + 1}>`, id] as const),
    ...[alpha, beta].map(({ accessKey }, at) => [`<key-${at + 1}>`, accessKey] as const),
  ];

  return {
    async open({ isEmpty = false } = {}): Promise<Place> {
      const folder = temporaryFolder();
      cpSync(isEmpty ? empty : built, folder, { recursive: true });
      const one = await localWorld(folder);
      const service = await startService(one);
      const log = await serveLog(join(folder, localPaths.tlog));
      if (!isEmpty) {
        for (const [name, team] of [
          ['alpha', alpha],
          ['beta', beta],
        ] as const) {
          writeFileSync(join(folder, `${name}.env`), envFile(team, service.url), { mode: 0o600 });
        }
      }
      return {
        folder,
        names: new Map(isEmpty ? [] : ids),
        uneven: new Map([
          ['<folder>', folder],
          ['<url>', service.url],
          ['<log>', `${log.url}/tlog`],
        ]),
        sequence: () => sequence(one),
        async stop() {
          service.close();
          log.close();
          await one.close();
        },
      };
    },
  };
}
