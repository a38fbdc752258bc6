import { parseVerifierKey, type VerifierKey } from './verifierKey.ts';

/** A log or a witness: its key, and its URL if the policy has one. */
export type Party = Readonly<{ key: VerifierKey; url?: string }>;

/** Witnesses by their names in the policy, and the number of them that must have cosigned; 0: none must. */
type Quorum = Readonly<{ threshold: number; members: readonly string[] }>;

/** The trusted logs, the known witnesses, and the quorum of cosignatures that makes a checkpoint valid. */
export interface Policy {
  readonly logs: readonly Party[];
  /** Keys in comment lines `# receipts <verifier key>`, which other programs ignore: they sign receipts and no log. */
  readonly receipts: readonly VerifierKey[];
  readonly witnesses: ReadonlyMap<string, Party>;
  readonly quorum: Quorum;
}

/** A comment line with what has the form of a verifier key. Any other is a comment. */
const RECEIPTS = /^[ \t]*#[ \t]*receipts[ \t]+([^\s+]+\+[\da-f]{8}\+\S+)[ \t]*$/;

/**
 * Reads a C2SP tlog-policy: logs, witnesses, at most one group of witnesses (not groups of groups), and the quorum.
 * @throws Error with the number of the line and the problem
 */
export function parsePolicy(text: string): Policy {
  const logs: Party[] = [];
  const receipts: VerifierKey[] = [];
  const witnesses = new Map<string, Party>();
  const groups = new Map<string, Quorum>();
  let quorum: Quorum | undefined;

  const keys = { log: new Set<string>(), witness: new Set<string>() };
  const party = (kind: keyof typeof keys, [vkey, url, ...more]: string[]): Party => {
    if (vkey === undefined || more.length > 0) throw new Error('expected a verifier key and at most a URL after it');
    const key = parseVerifierKey(vkey);
    if ((key.type === 'note') !== (kind === 'log'))
      throw new Error(`${key.name} has a key for ${kind === 'log' ? 'witnesses' : 'logs'}`);
    const publicKey = Buffer.from(key.publicKey).toString('hex');
    if (keys[kind].has(publicKey)) throw new Error(`the public key of ${key.name} is in the policy twice`);
    keys[kind].add(publicKey);
    return url === undefined ? { key } : { key, url };
  };
  const requireNew = (name: string | undefined): string => {
    if (name === undefined || name === 'none') throw new Error('expected a name other than "none"');
    if (witnesses.has(name) || groups.has(name)) throw new Error(`the name ${name} is defined twice`);
    return name;
  };
  const quorumOf = (name: string): Quorum => {
    if (name === 'none') return { threshold: 0, members: [] };
    const found = groups.get(name) ?? (witnesses.has(name) ? { threshold: 1, members: [name] } : undefined);
    if (!found) throw new Error(`no witness or group ${name} on an earlier line`);
    return found;
  };

  const lines: Record<string, (words: string[]) => void> = {
    log: (words) => void logs.push(party('log', words)),
    witness: ([name, ...words]) => {
      witnesses.set(requireNew(name), party('witness', words));
    },
    group: ([name, rule, ...names]) => {
      const group = requireNew(name);
      if (groups.size > 0) throw new Error('a policy has one group at most');
      if (names.length === 0) throw new Error('expected at least one member');
      const other = names.find((one, at) => !witnesses.has(one) || names.indexOf(one) !== at);
      if (other !== undefined) throw new Error(`${other} is no witness of an earlier line, or a member twice`);
      const threshold =
        rule === 'all' ? names.length : rule === 'any' ? 1 : Number(/^[1-9]\d{0,3}$/.exec(rule ?? '')?.[0]);
      if (!(threshold >= 1 && threshold <= names.length)) {
        throw new Error(`expected all, any or a number from 1 to ${names.length}, not ${rule}`);
      }
      groups.set(group, { threshold, members: names });
    },
    quorum: ([name, ...more]) => {
      if (quorum !== undefined) throw new Error('a policy has one quorum line');
      if (name === undefined || more.length > 0) throw new Error('expected one name');
      quorum = quorumOf(name);
    },
  };

  for (const [index, line] of text.split('\n').entries()) {
    const [kind = '', ...words] = line.split(/[ \t]+/).filter(Boolean);
    try {
      if (/[^\P{Cc}\t\u0080-\u009f]/u.test(line)) {
        throw new Error('a policy has no control characters besides tabs and newlines');
      }
      const [, receiptKey] = RECEIPTS.exec(line) ?? [];
      if (receiptKey !== undefined) {
        const key = parseVerifierKey(receiptKey);
        if (key.type !== 'note') throw new Error(`${key.name} has a key for witnesses, and not for receipts`);
        receipts.push(key);
      }
      if (kind === '' || kind.startsWith('#')) continue;
      const read = Object.hasOwn(lines, kind) ? lines[kind] : undefined;
      if (!read) throw new Error(`expected log, witness, group or quorum, not ${kind}`);
      read(words);
    } catch (error) {
      throw new Error(`Line ${index + 1} of the policy: ${(error as Error).message}.`, { cause: error });
    }
  }
  if (quorum === undefined) throw new Error('The policy has no quorum line; "quorum none" requires no witness.');
  return { logs, receipts, witnesses, quorum };
}

/** Returns true if the witnesses that cosigned a checkpoint, by their names in the policy, reach the quorum. */
export const quorumReached = ({ quorum }: Policy, cosigned: ReadonlySet<string>): boolean =>
  quorum.members.filter((name) => cosigned.has(name)).length >= quorum.threshold;

const WITNESSING = /^[ \t]*(witness|group|quorum)[ \t]/;

/**
 * Returns a trust policy, with the keys of receipts as comments: every key in a `log` line makes a tree valid.
 * @param logs the verifier keys of checkpoints @param witnesses a policy with the witnesses of the log; by default none
 * @throws Error if a key or the policy of witnesses is not valid
 */
export function formatPolicy({
  logs,
  receipts,
  witnesses = 'quorum none\n',
}: Readonly<Record<'logs' | 'receipts', readonly string[]>> & { readonly witnesses?: string | undefined }): string {
  const keys = [...logs.map((key) => `log ${key}`), ...receipts.map((key) => `# receipts ${key}`)];
  const text = `${[...keys, ...witnesses.split('\n').filter((line) => WITNESSING.test(line))].join('\n')}\n`;
  parsePolicy(text);
  return text;
}
