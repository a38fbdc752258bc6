import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { openLogFixture } from '../../../sequencer/logFixture.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { openFixture } from '../../../setup/fixture.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { MINUTE_MS } from '../../../setup/time.ts';

/** Makes a log of three bundles. Copies of it are audited offline. */
export async function openCopiedLog() {
  const log = await openLogFixture(await openFixture({ receiptKey: false }));
  /** Checkpoints as somebody may have kept them, by their size. */
  const kept = new Map<number, string>();
  await log.run();
  for (const count of [3, 40, 213, 256, 40, 5]) {
    await log.upload(count);
    log.clock.advance(MINUTE_MS);
    await log.run();
    kept.set((await log.head()).size, readFileSync(join(log.folder, 'checkpoint'), 'utf8'));
  }
  const policy = policyText({ keys: (await log.head()).keys.map(({ key }) => key) });

  return {
    ...log,
    kept,
    policy,

    /** Makes a copy of the log in a folder of its own. */
    openCopy() {
      const cwd = temporaryFolder();
      cpSync(log.folder, join(cwd, 'copy'), { recursive: true });
      writeFileSync(join(cwd, 'tlog.policy'), policy);
      const path = (file: string) => join(cwd, 'copy', file);
      return {
        cwd,
        path,
        write: (file: string, bytes: string | Uint8Array) => writeFileSync(path(file), bytes),
        read: (file: string) => readFileSync(path(file)),
        async audit(...args: string[]) {
          const words = ['tlog', 'audit', '--log', 'copy', '--policy', 'tlog.policy', '--json', ...args];
          const { exitCode, stdout, stderr } = await runCommand(words, { cwd });
          if (stdout === '') throw new Error(stderr);
          return { exitCode, stderr, ...JSON.parse(stdout) };
        },
      };
    },
  };
}

/** A log, and copies of it. */
export type CopiedLog = Awaited<ReturnType<typeof openCopiedLog>>;

/** Returns true if a finding names a file. */
export const names = (file: string) => (finding: { path?: string; problem: string }) =>
  finding.path === file || finding.problem.includes(`${file} `);

/** Changes one bit of a byte. */
export const flip = (bytes: Buffer, at: number) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.of((bytes[at] as number) ^ 1), bytes.subarray(at + 1)]);
