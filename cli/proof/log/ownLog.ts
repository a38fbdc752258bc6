import { formatPolicy, type Policy, parsePolicy } from '../../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { isDependencyFailure } from '../../../functions/dependencyFailure.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../../store/targets/target.ts';
import { openLog, readReceiptKeys } from './openLog.ts';

/** The log of a target, with its policy, and the service's time in milliseconds since 1970. */
export type OwnLog = NonNullable<Awaited<ReturnType<typeof readOwnLog>>>;

/**
 * Returns the trust policy of the log of a target, as text, and what is wrong with its notes about receipt keys.
 * @param earlier a policy whose keys of this log stay
 */
export async function ownPolicy(target: Pick<Target, 'openTlog'>, earlier?: Policy) {
  const { origin, files, witnesses, checkpointKeys } = await target.openTlog();
  const own = await checkpointKeys();
  const kept = (earlier?.logs ?? []).map(({ key }) => key).filter(({ name }) => name === origin);
  const keys = [...own, ...kept.filter(({ id }) => !own.some((key) => key.id === id))];
  const { certified, problems } = await readReceiptKeys(files, origin, keys);
  const receipts = certified.map(({ key }) => formatVerifierKey(key));
  const policyText = formatPolicy({ logs: keys.map(formatVerifierKey), receipts, witnesses });
  return { policyText, keyProblems: problems };
}

/** Opens the log of a target; undefined: nothing was published yet. @throws Failure if it cannot be trusted */
export async function readOwnLog(target: Target) {
  const { origin, files } = await target.openTlog();
  if (!(await files.read(CHECKPOINT))) return undefined;
  const own = await ownPolicy(target);
  const now = await target.now();
  return { ...(await openLog(files, parsePolicy(own.policyText), origin)), ...own, now };
}

/** As `readOwnLog`. @throws Failure if nothing was published yet */
export async function requireOwnLog(target: Target): Promise<OwnLog> {
  const log = await readOwnLog(target);
  if (log) return log;
  throw new Failure('unchecked', `There is no transparency log of ${target.name} yet.`, {
    advice: 'The first run of the sequencer makes it: npm start runs it every few seconds, a deployment every minute.',
  });
}

/**
 * Reads the log for a command that works without it, too; undefined, with a note, if it cannot. A log that contradicts
 * itself makes the result of the command negative.
 */
export async function orNoLog<Result>(terminal: Surroundings, read: () => Promise<Result>) {
  try {
    return await read();
  } catch (error) {
    if (isDependencyFailure(error)) throw error;
    if (error instanceof Failure && error.outcome === 'negative') terminal.reportNegative();
    const { message, advice = '' } = error as Failure;
    terminal.note(`The transparency log was not read: ${message} ${advice}`.trimEnd());
    return undefined;
  }
}
