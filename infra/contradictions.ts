import { EVALUATION_SECONDS, FLOOD_SHARE, floodLimit } from './api/floodLimit.ts';
import { adoptedTables, type Settings } from './settings.ts';

/** The concurrency that AWS keeps unreserved. Source: Lambda Developer Guide, "Configuring reserved concurrency". */
const UNRESERVED_EXECUTIONS = 100;

/** Returns the concurrent executions to reserve for the sequencer: one, or none if the account can reserve none. */
export const sequencerReservation = ({ accountConcurrency }: Pick<Settings, 'accountConcurrency'>): number =>
  accountConcurrency > UNRESERVED_EXECUTIONS ? 1 : 0;

/** Yields a sentence for each pair of settings that cannot both hold, with values that would be right. */
export function* contradictions(settings: Settings): Generator<string> {
  const { windowSeconds, apiRateLimit, accountConcurrency, reservedConcurrency, warmThroughput } = settings;
  for (const name of ['uidQuota', 'ipQuota'] as const) {
    const quota = settings[name];
    const rate = Math.ceil(quota / windowSeconds);
    if (rate > apiRateLimit) {
      yield `Setting ${name} is ${quota} per ${windowSeconds} s, but apiRateLimit is ${apiRateLimit} per second: the gateway would reject a team within its quota. ` +
        `Set ${name} to at most ${apiRateLimit * windowSeconds}, or apiRateLimit to at least ${rate}.`;
    }
  }
  const perSecond = floodLimit(settings) / EVALUATION_SECONDS;
  if (settings.waf && perSecond > FLOOD_SHARE * apiRateLimit) {
    yield `Setting ipQuota is ${settings.ipQuota} per ${windowSeconds} s, so the firewall allows one IP address ${Math.ceil(perSecond)} requests per second, ` +
      `more than ${100 * FLOOD_SHARE} % of apiRateLimit (${apiRateLimit}): a few addresses could shut out all teams. ` +
      `Set apiRateLimit to at least ${Math.ceil(perSecond / FLOOD_SHARE)}, or a smaller ipQuota.`;
  }
  const reservable = accountConcurrency - UNRESERVED_EXECUTIONS - sequencerReservation(settings);
  // Reserving 0 stops the function and takes nothing from the account.
  if (reservedConcurrency && reservedConcurrency > reservable) {
    yield `Setting reservedConcurrency is ${reservedConcurrency}, but accountConcurrency is ${accountConcurrency}, of which AWS keeps ${UNRESERVED_EXECUTIONS} unreserved${reservable >= 0 ? ' and the sequencer has 1' : ''}. ` +
      (reservable > 0
        ? `Set reservedConcurrency to at most ${reservable}, or ask AWS for a higher quota.`
        : 'Leave reservedConcurrency unset, or ask AWS for a higher quota.');
  }
  const adopted = adoptedTables(settings);
  if (adopted.apiKeys !== undefined && settings.credentialsKeyArn === undefined) {
    yield 'Setting adoptTables names ApiKeys, so it needs credentialsKeyArn: no other key decrypts the credentials in that table.';
  }
  if (adopted.aiLogs !== undefined && settings.tlogOrigin === undefined) {
    yield 'Setting adoptTables names AiLogs, so it needs a tlogOrigin that no log has had: the stack starts a new log with the entries of that table.';
  }
  if (adopted.aiLogs !== undefined && settings.analytics) {
    yield 'Setting adoptTables names AiLogs, but analytics is true: a table that the stack does not manage has no stream for it. Set analytics to false.';
  }
  if (warmThroughput !== undefined && warmThroughput > apiRateLimit) {
    yield `Setting warmThroughput is ${warmThroughput}, but apiRateLimit is ${apiRateLimit}: you would pay for tables that are faster than the gateway. ` +
      `Set warmThroughput to at most ${apiRateLimit}, or apiRateLimit to at least ${warmThroughput}.`;
  }
}
