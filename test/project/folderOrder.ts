/**
 * The folders and files of a folder, from the top down: each of them imports only from those below it. `*` stands for
 * the files that are not named. A folder below one of these that has no order of its own, such as upload/middleware,
 * belongs to it.
 */
export const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  functions: [
    ...['upload', 'sequencer', 'indexer'],
    ...['tables.ts', 'logLine.ts', 'metrics.ts'],
    ...['features', 'receipts', 'tlog', 'c2sp', 'weights', 'allowlist', 'auth', 'ailog'],
    ...['dependencyFailure.ts', 'errors.ts', 'boundedMap.ts', 'environment.ts', 'quote.ts'],
    ...['serverClock.ts', 'orUndefined.ts'],
  ],
  infra: [
    ...['app.ts', 'stack.ts', 'staff.ts', 'rollout.ts', 'outputs.ts', 'staffPolicies.ts', 'runbookCalls.ts'],
    ...['monitoring', 'uploadFunction.ts', 'tlog', 'analytics', 'storage', 'build'],
    ...['readSettings.ts', 'contradictions.ts', 'api', 'openapi'],
    ...['acceptFindings.ts', 'removalPolicy.ts', 'settings.ts', 'tables.ts'],
  ],
  cli: [
    ...['ailog.js', 'pack', 'main.ts'],
    ...['local', 'commands', 'console', 'review', 'upload', 'proof', 'store', 'shell'],
  ],
  'cli/local': ['demo', '*'],
  // One command never imports another.
  'cli/commands': ['allowlist', 'keys', 'logs', 'reviews', 'data', 'tlog', 'ops', '*'],
  'cli/console': ['page', 'server'],
  'cli/review': ['verdicts', 'figures', 'orders', 'rows'],
  'cli/proof': ['page', 'audit', 'evidence', 'log'],
  'cli/store': ['exports', 'entries', 'tables', 'targets', 'duckdb'],
  'cli/shell': ['files', 'terminal', 'text'],
};
