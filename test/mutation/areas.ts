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
    tests: ['test/{boundedMap,config,dependencyFailure,logLine}', 'test/upload/{contract,logRequest}'],
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
  'functions/tlog': { tests: ['test/tlog'] },
  'functions/sequencer': { tests: ['test/sequencer'], without: ['deployed', 'crash'] },
  'cli/*.ts': { tests: ['test/cli/target', 'test/cli/serverClock'] },
  'cli/allowlist': { tests: ['test/cli/allowlist', 'test/cli/everyCommand'] },
  'cli/data': {
    tests: ['test/cli/{data,keys,allowlist,serverClock,logs/logs,logs/verify,tlog/rotate*,tlog/stack}'],
    without: ['readParts'],
  },
  'cli/demo/{demoEntries,orderExport,requestBackfill,writeDemo}.ts': { tests: ['test/cli/demo'] },
  'cli/keys': { tests: ['test/cli/keys', 'test/cli/everyCommand'] },
  'cli/local/!(start|functionThread).ts': { tests: ['test/cli/local'], without: ['start', 'proof'] },
  'cli/logs': { tests: ['test/cli/{logs,tlog/show,everyCommand}'] },
  'cli/ops': { tests: ['test/cli/ops', 'test/docs/capacity', 'test/cli/everyCommand'] },
  'cli/report': { tests: ['test/cli/{report,tlog/show,everyCommand}'] },
  'cli/review': { without: ['memory', 'demoReview'] },
  'cli/team': { tests: ['test/cli/team', 'test/cli/everyCommand'], without: ['pack'] },
  'cli/terminal': { tests: ['test/cli/terminal', 'test/cli/everyCommand'], without: ['interrupt'] },
  'cli/tlog/*.ts': { tests: ['test/cli/{tlog,everyCommand}'], without: ['audit*'] },
  'cli/tlog/audit': { tests: ['test/cli/{tlog/audit*,everyCommand}'], without: ['auditMemory', 'auditResume'] },
  'infra/*.ts': { tests: ['test/infra/{settings,stack,rollout,rules}'] },
  'infra/api': { tests: ['test/infra/api', 'test/infra/{stack,rules}'] },
  'infra/build/bundle*.ts': { tests: ['test/infra/build', 'test/infra/{stack,proof}'] },
  'infra/monitoring': { tests: ['test/infra/monitoring', 'test/infra/{rollout,rules}'] },
  'infra/openapi': { tests: ['test/infra/openapi/openapi'] },
  'infra/proof': { tests: ['test/infra/{proof,stack,rules}', 'test/infra/monitoring/monitoring'] },
  'infra/storage': { tests: ['test/infra/storage', 'test/infra/{stack,proof}'] },
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
      ? [name, '!infra/{app,cdk}.ts', '!cli/tlog/audit.ts']
      : [`${name}{/**/*,}.ts`, `!${name}/index.ts`, '!**/*.generated.ts'],
    include: tests.map((path) => `${path}{/**/*,}.test.ts`),
    exclude: without.map((file) => `test/**/${file}.test.ts`),
  };
}
