import { createHash } from 'node:crypto';
import { constants, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { namingFile, requireNoFile, writeNew } from '../../shell/files/write.ts';
import { texts, uid } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { requireListed } from '../../store/tables/changeAllowlist.ts';
import { digestsIn, formatStatusLetter, occasionOf } from '../../store/tables/statusLetter.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

/** Reads files of evidence. @throws Failure if one is missing that reviewers have agreed on */
function readEvidence({ cwd }: Terminal, files: readonly string[], digests: readonly string[]) {
  const evidence = files.map((file) => {
    const path = resolve(cwd(), file);
    const bytes = namingFile(path, () => readFileSync(path));
    return { path, name: basename(path), sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const missing = digests.filter((digest) => !evidence.some(({ sha256 }) => sha256 === digest));
  if (missing.length === 0) return evidence;
  const advice = 'Give it with --evidence FILE: ailog reviews list names it.';
  throw new Failure('usage', `The evidence with the SHA-256 ${missing.join(', ')} is not attached.`, { advice });
}

export default (terminal: Terminal) =>
  targetCommand('letter', {
    summary: `Write the letter to a team about its disqualification or its reinstatement, as its history says, with copies of the evidence beside it. A statement that reviewers agreed on must be attached.`,
    examples: [
      ['allowlist letter 1001 --evidence alpha.statement --output-dir alpha', 'after a disqualification or its end'],
    ],
  })
    .argument('<uid>', 'the UID of the team', uid)
    .requiredOption('--output-dir <folder>', 'write the letter, and copy the evidence, to this folder')
    .option('--evidence <file>', 'a statement of the team to attach (repeatable)', texts, [])
    .option('--contact <text>', 'whom the team can answer')
    .action(async (wanted, { outputDir, evidence: files, contact, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const [{ entry } = {}] = await requireListed(target, [wanted]);
        if (entry === undefined) return;
        const { kind, reason } = occasionOf(entry);
        const evidence = readEvidence(terminal, files, kind === 'disqualification' ? digestsIn(reason) : []);
        const folder = resolve(terminal.cwd(), outputDir);
        const copies = evidence.map(({ path, name }) => ({ path, copy: join(folder, name) }));
        requireNoFile(copies.map(({ copy }) => copy));
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const letter = join(folder, `${wanted}-${kind}.txt`);
        writeNew([{ path: letter, text: formatStatusLetter(entry, { evidence, contact }) }]);
        for (const { path, copy } of copies) copyFileSync(path, copy, constants.COPYFILE_EXCL);
        if (json) await terminal.json({ uid: wanted, kind, letter, evidence: copies.map(({ copy }) => copy) });
        else await terminal.print(`Written: ${letter}.`);
        if (kind === 'disqualification' && files.length === 0) {
          terminal.note('No evidence is attached. ailog statement writes it: the logs of a team, with their proofs.');
        }
        terminal.note('Send the folder to this team alone: a statement has its logs in full.');
      }),
    );
