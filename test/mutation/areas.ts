interface Area {
  readonly tests?: readonly string[];
  readonly without?: readonly string[];
}

/**
 * The folders that the mutation tests change. The tests of a folder are in the folder of the same name below test/;
 * `tests` names others. Tests that start a process of their own are left out, because a mutation is active only in the
 * process of the test. docs/reliability.md gives the reason for everything that is left out.
 */
const areas: Readonly<Record<string, Area>> = {
  'functions/*.ts': {
    tests: ['test/{boundedMap,dependencyFailure,logLine}', 'test/upload/{contract,logRequest}'],
  },
  'functions/ailog': {
    tests: ['test/ailog', 'test/upload/{contract,deadline}', 'test/abuse/rules'],
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
  'functions/tlog': { tests: ['test/{tlog,c2sp}'] },
  'functions/sequencer': { tests: ['test/sequencer'], without: ['deployed', 'crash'] },
  'cli/allowlist': { tests: ['test/cli/allowlist', 'test/cli/everyCommand'] },
  'cli/tables': { tests: ['test/cli/{tables,keys,allowlist,tlog/rotate*}'] },
  'cli/target': { tests: ['test/cli/{target,ops,logs/logs}'], without: ['target'] },
  'cli/entries': { tests: ['test/cli/{entries,logs/logs,logs/verify,keys}'], without: ['readInOrder'] },
  'cli/exports': { tests: ['test/cli/{exports,logs/export,logs/verifyFile}'] },
  'cli/demo/{appendEarlier,writeDemo}.ts': { tests: ['test/cli/demo'] },
  'cli/keys': { tests: ['test/cli/keys', 'test/cli/everyCommand'] },
  'cli/local/!(start).ts': { tests: ['test/cli/local'], without: ['start', 'proof'] },
  'cli/logs': { tests: ['test/cli/{logs,tlog/show,everyCommand}'] },
  'cli/cost': { tests: ['test/cli/ops', 'test/docs/capacity'] },
  'cli/ops': { tests: ['test/cli/ops', 'test/docs/capacity', 'test/cli/everyCommand'] },
  'cli/report': { tests: ['test/cli/{report,everyCommand}'] },
  'cli/analysis': { tests: ['test/cli/{analysis,report,tlog/show}'], without: ['demoReview'] },
  'cli/delivery': { tests: ['test/cli/{delivery,team}'] },
  'cli/team': { tests: ['test/cli/{team,everyCommand}'] },
  'cli/terminal': { tests: ['test/cli/terminal', 'test/cli/everyCommand'], without: ['interrupt'] },
  'cli/evidence': { tests: ['test/cli/{evidence,team,report}'] },
  'cli/inclusion': { tests: ['test/cli/{inclusion,tlog}'] },
  'cli/tlog': { tests: ['test/cli/{tlog,everyCommand}'] },
  'cli/audit': { tests: ['test/cli/{audit,everyCommand}'], without: ['auditMemory'] },
  'cli/console': { tests: ['test/cli/{console,verdicts}'] },
  'cli/data': { tests: ['test/cli/{data,rows}'] },
  'cli/files': {},
  'cli/pack': {},
  'cli/reviews': { tests: ['test/cli/{verdicts,everyCommand}'] },
  'cli/rows': { tests: ['test/cli/{rows,data,report}'], without: ['killed'] },
  'cli/text': {},
  'cli/verdicts': {},
  'cli/verifyPage': {},
  'infra/*.ts': { tests: ['test/infra/{settings,stack,rollout,rules}'] },
  'infra/analytics': { tests: ['test/infra/{analytics,rules}'] },
  'infra/api': { tests: ['test/infra/api', 'test/infra/{stack,rules}'] },
  'infra/build/bundle*.ts': { tests: ['test/infra/build', 'test/infra/{stack,tlog}'] },
  'infra/monitoring': { tests: ['test/infra/monitoring', 'test/infra/{rollout,rules}'] },
  'infra/openapi': { tests: ['test/infra/openapi/openapi'] },
  'infra/tlog': { tests: ['test/infra/{tlog,stack,rules}', 'test/infra/monitoring/monitoring'] },
  'infra/storage': { tests: ['test/infra/storage', 'test/infra/{stack,tlog}'] },
};

/** The names of all areas. */
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
