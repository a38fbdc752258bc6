interface Area {
  readonly tests?: readonly string[];
  readonly without?: readonly string[];
}

/**
 * The folders that the mutation tests change. The tests of a folder are in the folder of the same name below test/;
 * `tests` names others. Tests that start a process of their own are left out, because a mutation is active only in the
 * process of the test. docs/evidence.md gives the reason for everything that is left out.
 */
const areas: Readonly<Record<string, Area>> = {
  'functions/*.ts': {
    tests: ['test/{boundedMap,dependencyFailure,errors,logLine}', 'test/upload/{contract,logRequest}'],
  },
  'functions/ailog': {
    tests: [
      'test/{ailog,features}',
      'test/upload/{contract,deadline}',
      'test/abuse/rules',
      'test/receipts/acceptedEntry',
    ],
    without: ['validator'],
  },
  'functions/allowlist': { tests: ['test/allowlist', 'test/upload/{contract,calls,deadline}'] },
  'functions/auth': { tests: ['test/auth', 'test/upload/{contract,readRecords,deadline}', 'test/abuse/rules'] },
  'functions/weights': { tests: ['test/weights', 'test/upload/{contract,calls,deadline}'], without: ['parallel'] },
  'functions/upload': {
    tests: ['test/upload', 'test/receipts', 'test/weights', 'test/auth/authenticate'],
    without: ['contractOverHttp', 'parallel'],
  },
  'functions/receipts': { tests: ['test/receipts', 'test/upload/deadline'] },
  'functions/c2sp': {},
  'functions/features': {},
  'functions/indexer': {},
  'functions/tlog': { tests: ['test/{tlog,c2sp}', 'test/{sequencer/receiptKeys,receipts/signingKey}'] },
  'functions/sequencer': { tests: ['test/sequencer'], without: ['deployed', 'attack'] },
  'cli/commands/allowlist': { tests: ['test/cli/commands/allowlist', 'test/cli/everyCommand'] },
  'cli/store/tables': { tests: ['test/cli/store/tables', 'test/cli/commands/{keys,allowlist,tlog/rotate*}'] },
  'cli/store/targets': { tests: ['test/cli/store/targets', 'test/cli/commands/{ops,logs/logs}'], without: ['target'] },
  'cli/store/entries': {
    tests: ['test/cli/store/entries', 'test/cli/commands/{logs/logs,logs/verify,keys}'],
    without: ['readInOrder'],
  },
  'cli/store/exports': { tests: ['test/cli/store/exports', 'test/cli/commands/logs/{export,verifyFile}'] },
  'cli/store/duckdb': { tests: ['test/cli/store/duckdb', 'test/cli/review/figures'] },
  'cli/local/demo/writeDemo.ts': { tests: ['test/cli/local/demo'] },
  'cli/commands/keys': { tests: ['test/cli/commands/keys', 'test/cli/everyCommand'] },
  'cli/local/!(start).ts': { tests: ['test/cli/local'], without: ['start', 'proof'] },
  'cli/commands/logs': { tests: ['test/cli/commands/{logs,tlog/show}', 'test/cli/everyCommand'] },
  'cli/commands/ops': { tests: ['test/cli/commands/ops', 'test/cli/everyCommand'] },
  'cli/commands/report': { tests: ['test/cli/commands/report', 'test/cli/everyCommand'] },
  'cli/review/figures': {
    tests: ['test/cli/review/{figures,orders}', 'test/cli/commands/{report,tlog/show}'],
    without: ['demoReview'],
  },
  'cli/review/orders': { tests: ['test/cli/review/{figures,orders}', 'test/cli/commands/report'] },
  'cli/upload': { tests: ['test/cli/upload', 'test/cli/commands/team'] },
  'cli/commands/*.ts': { tests: ['test/cli/commands/{team,tlog,report}', 'test/cli/everyCommand'] },
  'cli/shell/terminal': {
    tests: ['test/cli/shell/terminal', 'test/cli/everyCommand'],
    without: ['interrupt', 'output'],
  },
  'cli/proof/evidence': { tests: ['test/cli/proof/evidence', 'test/cli/commands/{team,report}'] },
  'cli/proof/log': { tests: ['test/cli/proof/log', 'test/cli/commands/tlog'] },
  'cli/commands/tlog': { tests: ['test/cli/commands/tlog', 'test/cli/everyCommand'] },
  'cli/proof/audit': { tests: ['test/cli/proof/audit', 'test/cli/everyCommand'] },
  'cli/console': { tests: ['test/cli/console', 'test/cli/review/verdicts'] },
  'cli/commands/data': { tests: ['test/cli/commands/data', 'test/cli/review/rows'] },
  'cli/shell/files': { without: ['pipes'] },
  'cli/pack': {},
  'cli/commands/reviews': { tests: ['test/cli/review/verdicts', 'test/cli/everyCommand'] },
  'cli/review/rows': { tests: ['test/cli/review/rows', 'test/cli/commands/{data,report}'], without: ['killed'] },
  'cli/shell/text': {
    tests: ['test/cli/shell/{text,terminal/{format,arguments}}', 'test/cli/review/orders/{zones,readOrders}'],
  },
  'cli/review/verdicts': {},
  'cli/proof/page': {},
  'infra/*.ts': { tests: ['test/infra/{settings,stack,rollout,rules}'] },
  'infra/analytics': { tests: ['test/infra/{analytics,rules}'] },
  'infra/api': { tests: ['test/infra/api', 'test/infra/{stack,rules}'] },
  'infra/build/bundle*.ts': { tests: ['test/infra/build', 'test/infra/{stack,tlog}'] },
  'infra/monitoring': { tests: ['test/infra/monitoring', 'test/infra/{rollout,rules}'] },
  'infra/openapi': { tests: ['test/infra/openapi/openapi'] },
  'infra/tlog': { tests: ['test/infra/{tlog,stack,rules}', 'test/infra/monitoring/monitoring'] },
  'infra/storage': { tests: ['test/infra/storage', 'test/infra/{stack,tlog}'] },
};

export const areaNames = Object.keys(areas);

/** Returns the files to mutate in an area and the tests to run, as globs. @throws Error if there is no such area */
export function areaOf(name: string) {
  const area = areas[name];
  if (!area) throw new Error(`There is no area ${name}. The areas: ${areaNames.join(', ')}.`);
  const { tests = [name.replace('functions/', 'test/').replace(/^(cli|infra)/, 'test/$1')], without = [] } = area;
  return {
    mutate: name.endsWith('.ts')
      ? [name, '!infra/app.ts']
      : [`${name}{/**/*,}.ts`, `!${name}/index.ts`, '!**/*.generated.ts'],
    include: tests.map((path) => `${path}{/**/*,}.{test,slow}.ts`),
    exclude: without.map((file) => `test/**/${file}.{test,slow}.ts`),
  };
}
