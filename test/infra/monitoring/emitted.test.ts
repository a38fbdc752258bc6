import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { entriesTable } from '../../../functions/ailog/entries.ts';
import { createCredentialStore, fileDecrypt } from '../../../functions/auth/credentialStore.ts';
import { createLogger } from '../../../functions/logLine.ts';
import { METRICS_NAMESPACE, metrics } from '../../../functions/metrics.ts';
import { createHandler } from '../../../functions/sequencer/handler.ts';
import type { Dependencies } from '../../../functions/upload/request.ts';
import { accessLog } from '../../../infra/api/api.ts';
import { gatewayResponses } from '../../../infra/api/gatewayResponses.ts';
import { logPatterns } from '../../../infra/monitoring/metrics.ts';
import { queries } from '../../../infra/monitoring/queries.ts';
import { entryOf, openIndexer, streamed } from '../../indexer/indexerFixture.ts';
import {
  clientAt,
  inProcess,
  LAG_MS,
  logText,
  metricsOf,
  newKeyFile,
  recordWritten,
  signedUpload,
  UNREACHABLE,
  type Upload,
  withHeader,
  withLog,
  world,
} from '../../setup/world.ts';
import { nameOf, type Resource, synth } from '../synth.ts';

const recorded = recordWritten();
const prod = synth({ stage: 'prod', analytics: 'true' });
const alarms = prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);

/** A log line of a function, parsed. */
type Line = Record<string, unknown>;
/** The lines of real uploads, by case. */
let written: Record<'accepted' | 'rejected' | 'noReceipt' | 'edited' | 'wrongKey' | 'noTables' | 'throttled', Line[]>;
const lines = () => Object.values(written).flat();
/** The lines of runs of the sequencer: one that succeeds, one that fails and one that stops. */
let sequenced: Line[];
/** The lines of a batch and of a nightly run of the indexer. */
let indexed: Line[];

beforeAll(async () => {
  const fixture = await world();
  const team = await fixture.team();
  const busy = await fixture.team();
  const linesOf = async (change: Partial<Dependencies>, ...uploads: Upload[]): Promise<Line[]> => {
    recorded.clear();
    const { send } = inProcess(withLog(fixture.dependencies(change)));
    for (const upload of uploads) await send(upload);
    return recorded.lines();
  };
  // As DynamoDB does when one team writes more than the partition of its entries takes.
  const proxy = await fixture.faulty();
  proxy.fail('put entry', team.uid, () => 'throttled');
  proxy.fail('put entry', busy.uid, () => 'throttled by its partition');
  const entriesAt = (endpoint: string) => entriesTable(clientAt(endpoint, { maxAttempts: 1 }), fixture.names.aiLogs);
  const { dependencies } = await world({ receiptKey: false });
  const upload = signedUpload(team);
  written = {
    accepted: await linesOf(
      {},
      upload,
      upload,
      signedUpload(team, { body: Buffer.from(logText({ orderId: 2 ** 60 })) }),
    ),
    rejected: await linesOf({}, withHeader(upload, 'ACCESS-SIGN', 'wrong')),
    noReceipt: await linesOf({ receipts: dependencies().receipts }, signedUpload(team)),
    edited: await linesOf(
      { entries: { put: async (entry) => ({ outcome: 'existing', stored: { ...entry, stage: 'edited' } }) } },
      signedUpload(team),
    ),
    wrongKey: await linesOf({ credentialStore: createCredentialStore(fileDecrypt(newKeyFile())) }, signedUpload(team)),
    noTables: await linesOf({ entries: entriesAt(UNREACHABLE) }, signedUpload(team)),
    throttled: await linesOf({ entries: entriesAt(proxy.url) }, signedUpload(team), signedUpload(busy)),
  };

  const tlog = await world().sequenced();
  await tlog.store(1);
  tlog.clock.advance(LAG_MS + 60_000);
  const run = (change: Partial<typeof tlog.options>) =>
    createHandler(
      { ...tlog.options, receiptKey: 1, ...change },
      createLogger({ serviceName: 'test', logLevel: 'INFO' }),
    )({}, { getRemainingTimeInMillis: () => 60_000 }).catch(() => undefined);
  await tlog.run();
  tlog.clock.advance(60_000);
  recorded.clear();
  await run({});
  await run({ signers: () => Promise.reject(new Error('KMS is busy')) });
  rmSync(join(tlog.logFolder, 'checkpoint'));
  await run({});
  sequenced = recorded.lines();

  const { index, compact } = await openIndexer();
  recorded.clear();
  await index(streamed([entryOf(1)]));
  await compact();
  indexed = recorded.lines();
});

/** Returns the names of all fields of a line, nested ones with a dot. */
const fieldsOf = (line: object): string[] =>
  Object.entries(line).flatMap(([name, value]) => [
    name,
    ...(value !== null && typeof value === 'object' ? fieldsOf(value).map((inner) => `${name}.${inner}`) : []),
  ]);
const logged = () => new Set(lines().flatMap(fieldsOf));

const declared = Object.entries(metrics).map(([name, shape]) => ({ name, ...shape }));
/** The declared metrics as alarms and dashboard name them, each with its dimensions. */
const known = new Set(declared.map(({ name, dimensions }) => `${METRICS_NAMESPACE} ${name} ${[...dimensions].sort()}`));

/** Returns the metrics of the function that an alarm uses, at any depth, in the same form. */
const metricsIn = (part: unknown): string[] => {
  if (part === null || typeof part !== 'object') return [];
  const { Namespace, MetricName, Dimensions = [] } = part as Resource['Properties'];
  return Namespace === METRICS_NAMESPACE
    ? [`${Namespace} ${MetricName} ${Dimensions.map(({ Name }: { Name: string }) => Name).sort()}`]
    : Object.values(part).flatMap(metricsIn);
};

describe('the functions emit what monitoring uses', () => {
  test.each([
    ['upload', lines],
    ['sequencer', () => sequenced],
    ['indexer', () => indexed],
  ] as const)('the function %s emits exactly its metrics', (emitter, linesOf) => {
    const emitted = linesOf().flatMap((line) =>
      Object.entries(metricsOf(line)).map(([name, metric]) => `${name} ${metric.replace(/^\d+ /, '')}`),
    );
    const own = declared.filter(
      ({ emittedBy }) => emittedBy === emitter || (emittedBy === 'both' && emitter !== 'indexer'),
    );
    expect(new Set(emitted)).toEqual(
      new Set(own.map(({ name, unit, dimensions }) => `${name} ${unit} ${dimensions.join(' ')}`)),
    );
    // CloudWatch drops a metric whose dimension is no field of the line.
    const dimensions = new Set(own.flatMap((one): readonly string[] => one.dimensions));
    for (const line of linesOf()) expect(Object.keys(line)).toEqual(expect.arrayContaining([...dimensions]));
  });

  test('every run of the sequencer says that it accepted no upload, also one that fails: no minute is without data', () => {
    expect(sequenced.map(({ message, Accepted }) => [message, Accepted])).toEqual([
      ['sequenced', 0],
      ['failed', 0],
      ['stopped', 0],
    ]);
  });

  test('a deployment without uploads has the metrics of a run of the sequencer, which are billed', () => {
    const [run] = sequenced.map((line) => Object.keys(metricsOf(line)));
    // biome-ignore format: several a line
    expect(run?.toSorted()).toEqual([
      'Accepted', 'Stragglers', 'TlogAppended', 'TlogLag', 'TlogSize',
      'WitnessQuorumMissed',
    ]);
  });

  test('every metric of the alarms', () => {
    const watched = alarms.flatMap(metricsIn);
    expect(new Set(watched).size).toBeGreaterThanOrEqual(5);
    expect(watched.filter((one) => !known.has(one))).toEqual([]);
  });

  test('every metric on the dashboard', () => {
    const { widgets } = JSON.parse(nameOf(prod.one('AWS::CloudWatch::Dashboard').Properties.DashboardBody));
    const shown: string[] = widgets
      .flatMap(({ properties }: Resource['Properties']) => properties.metrics ?? [])
      .filter(([namespace]: unknown[]) => namespace === METRICS_NAMESPACE)
      .map((metric: unknown[]) => {
        const [namespace, name, ...rest] = metric.filter((part) => typeof part === 'string');
        return `${namespace} ${name} ${rest.filter((_, i) => i % 2 === 0).sort()}`;
      });
    const searched = [...JSON.stringify(widgets).matchAll(/\{(\w+),([\w,]+)\} MetricName=\W+(\w+)/g)];
    shown.push(...searched.map(([, namespace, dimensions, name]) => `${namespace} ${name} ${dimensions}`));
    expect(searched).toHaveLength(1);
    expect(shown.length).toBeGreaterThanOrEqual(8);
    expect(shown.filter((one) => !known.has(one))).toEqual([]);
  });

  test('with the stack name as the service dimension', () => {
    const { Variables } = prod.lambda('Upload').Properties.Environment;
    const services = alarms.flatMap((alarm) => JSON.stringify(alarm).match(/"service","Value":"[^"]*"/g) ?? []);
    expect(new Set(services)).toEqual(new Set([`"service","Value":"${Variables.SERVICE_NAME}"`]));
  });

  test('the gateway alarms use the metrics of this API and stage', () => {
    const named = alarms.filter(({ Namespace }) => Namespace === 'AWS/ApiGateway').map(({ Dimensions }) => Dimensions);
    const { Name } = prod.one('AWS::ApiGateway::RestApi').Properties;
    const { StageName } = prod.one('AWS::ApiGateway::Stage').Properties;
    const dimensions = [
      { Name: 'ApiName', Value: Name },
      { Name: 'Stage', Value: StageName },
    ];
    expect(named).toEqual([dimensions, dimensions]);
  });

  test.each(Object.entries(queries))('every field of the query "%s"', (_, [logs, ...commands]) => {
    const known = new Set(['@timestamp']);
    const sources: Record<string, Iterable<string>> = { upload: logged(), api: Object.keys(accessLog) };
    for (const log of logs) for (const field of sources[log] ?? []) known.add(field);
    const text = commands
      .filter((command) => !command.startsWith('#'))
      .join('\n')
      .replace(/"[^"]*"/g, '');
    const aliases = new Set([...text.matchAll(/ as (\w+)/g)].map(([, alias]) => alias));
    const words = /^(fields|filter|stats|sort|limit|by|as|and|asc|desc|count|sum|max|count_distinct|bin|1h)$/;
    const used = [...text.matchAll(/@?[\w.]+/g)]
      .map(([word]) => word)
      .filter((word) => !words.test(word) && !aliases.has(word) && !/^\d+$/.test(word));

    expect(used.length).toBeGreaterThan(1);
    expect(used.filter((field) => !known.has(field))).toEqual([]);
  });
});

describe('log metrics', () => {
  /** Returns the value of a field such as `$.error.name`. */
  const fieldOf = (line: Line, path: string) =>
    path
      .split('.')
      .slice(1)
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], line);

  /**
   * Returns true if a filter pattern matches the line: terms joined by &&, `*` for any text. Source: CloudWatch Logs,
   * "Filter pattern syntax".
   */
  const matches = (pattern: string, line: Line): boolean =>
    pattern
      .replace(/^\{ | \}$/g, '')
      .split(' && ')
      .every((term) => {
        const [, path = '', operator, operand = ''] = /^(\S+) (=|!=|IS) (.+)$/.exec(term) ?? [];
        const value = fieldOf(line, path);
        if (value === undefined) return false;
        if (operator === 'IS') return String(value).toUpperCase() === operand;
        const text = operand.replace(/^"|"$/g, '').replace(/[.+?^${}()|[\]\\]/g, '\\$&');
        return new RegExp(`^${text.replaceAll('*', '.*')}$`).test(String(value)) === (operator === '=');
      });
  const counted = (pattern: string) =>
    Object.fromEntries(
      Object.entries(written).map(([name, lines]) => [name, lines.filter((line) => matches(pattern, line)).length]),
    );

  const none = { accepted: 0, rejected: 0, noReceipt: 0, edited: 0, wrongKey: 0, noTables: 0, throttled: 0 };

  test('failed decryption counts as a KMS error, unreachable tables do not', () => {
    expect(counted(logPatterns.kmsErrors.pattern)).toEqual({ ...none, wrongKey: 1 });
  });

  test('unreachable tables count for a rollback, a team that throttles its own partition does not', () => {
    expect(written.throttled.filter(({ status }) => status === 503)).toHaveLength(1);
    expect(counted(logPatterns.unreachable.pattern)).toEqual({ ...none, noTables: 1 });
  });

  test.each(['ThrottlingException', 'RequestLimitExceeded', 'ProvisionedThroughputExceededException'])(
    '%s does not count for a rollback',
    (name) => {
      expect(matches(logPatterns.unreachable.pattern, { status: 503, error: { name } })).toBe(false);
      expect(matches(logPatterns.unreachable.pattern, { status: 503, error: { name: 'TimeoutError' } })).toBe(true);
    },
  );

  test('the gateway logs its throttling in the field that is counted', () => {
    expect(logPatterns.gatewayThrottles.pattern).toBe('{ $.responseType = "THROTTLED" }');
    expect(accessLog.responseType).toBe('$context.error.responseType');
    expect(Object.keys(gatewayResponses)).toContain('THROTTLED');
  });

  test('each pattern filters its own log, in a namespace of the stack', () => {
    const filters = Object.entries(prod.resources).flatMap(([id, { Type, Properties }]) => {
      if (Type !== 'AWS::Logs::MetricFilter') return [];
      expect(Properties.MetricTransformations[0].MetricNamespace).toBe('AiLogUpload/AiLogUpload-prod');
      const name = id.replace(/^MonitoringAlarmsCount|.{8}$/g, '');
      return [[name, nameOf(Properties.LogGroupName), Properties.FilterPattern]];
    });
    expect(filters).toEqual([
      ['Unreachable', 'UploadLogs', logPatterns.unreachable.pattern],
      ['KmsErrors', 'UploadLogs', logPatterns.kmsErrors.pattern],
      ['GatewayThrottles', 'ApiAccessLogs', logPatterns.gatewayThrottles.pattern],
    ]);
  });
});
