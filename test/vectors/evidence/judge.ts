import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../setup/commandLine.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

interface Verdict {
  readonly exitCode: number | null;
  /** The word about each entry of a file, then about the whole; of a log, the kinds of what is wrong with it. */
  readonly verdicts: readonly string[];
  /** The sentences that say why a verdict is not good. */
  readonly reasons: readonly string[];
}

/** A file of evidence, and the verdict that every revision must give. */
export interface Vector extends Verdict {
  readonly name: string;
  /** The command that judges it. */
  readonly by: 'verify' | 'tlog audit';
  readonly file: string;
  readonly policy: string;
  /** More arguments of the command. */
  readonly options?: readonly string[];
  /** Files of the log, by their paths, that others take the place of. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** The files, in a folder of their own. */
export const EVIDENCE = fileURLToPath(new URL('files/', import.meta.url));

export const vectors: readonly Vector[] = JSON.parse(readFileSync(new URL('verdicts.json', import.meta.url), 'utf8'));

/** Returns the arguments of `ailog verify` for a file. */
export const argumentsOf = ({ file, policy, options = [] }: Vector) => [file, '--policy', policy, ...options];

/** Returns the first words of the lines that begin with one. */
const wordsIn = (text: string) => [...text.matchAll(/^\S.*?(?= {2})/gm)].map(([word]) => word);

/** Returns the sentences that say what is wrong, or else unproven, with each entry that is not ok. */
const reasonsIn = (text: string) =>
  text.split(/\n(?=\S)/).flatMap((block) => {
    const kind = /^(?:NO PROOF|NOT YET)/.test(block) ? 'not proven' : 'WRONG';
    return [...block.matchAll(new RegExp(`^  ${kind} +(.*)$`, 'gm'))].map(([, sentence = '']) => sentence);
  });

/** Returns the first line of an error message, which names no folder of this machine. */
const refusalIn = (text: string, folder: string) => text.replaceAll(`${folder}/`, '').split('\n').slice(0, 1);

async function auditLog({ policy, options = [], replaced = {} }: Vector) {
  const cwd = temporaryFolder();
  cpSync(EVIDENCE, cwd, { recursive: true });
  for (const [path, other] of Object.entries(replaced)) cpSync(join(cwd, other), join(cwd, 'tlog', path));
  const args = ['tlog', 'audit', '--log', 'tlog', '--policy', policy, ...options, '--json'];
  const { exitCode, stdout, stderr } = await runCommand(args, { cwd });
  if (stdout === '') return { exitCode, verdicts: [], reasons: refusalIn(stderr, cwd) };
  const { counts } = JSON.parse(stdout);
  return { exitCode, verdicts: Object.keys(counts).filter((kind) => counts[kind] > 0), reasons: [] };
}

/** Judges a file with the commands of this checkout. */
export async function judge(vector: Vector): Promise<Verdict> {
  if (vector.by === 'tlog audit') return auditLog(vector);
  const args = ['verify', ...argumentsOf(vector), '--verbose'];
  const { exitCode, stdout, stderr } = await runCommand(args, { cwd: EVIDENCE });
  const reasons = stdout === '' ? refusalIn(stderr, EVIDENCE.slice(0, -1)) : reasonsIn(stdout);
  return { exitCode, verdicts: wordsIn(stdout), reasons };
}

// As a program, it prints the verdicts of this checkout.
if (import.meta.main) {
  const judged = [];
  for (const vector of vectors) judged.push({ name: vector.name, ...(await judge(vector)) });
  console.log(JSON.stringify(judged));
}
