/**
 * The folders of each top-level folder, and the files directly in it, from the top down. Each of them imports only from
 * those below it. A folder below one of these, such as upload/middleware, belongs to it.
 */
export const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  functions: [
    ...['upload', 'sequencer', 'indexer'],
    ...['tables.ts', 'logLine.ts', 'metrics.ts'],
    ...['features', 'receipts', 'tlog', 'c2sp', 'weights', 'allowlist', 'auth', 'ailog'],
    ...['dependencyFailure.ts', 'errors.ts', 'boundedMap.ts', 'quote.ts'],
  ],
  infra: [
    ...['app.ts', 'stack.ts', 'rollout.ts', 'outputs.ts'],
    ...['monitoring', 'uploadFunction.ts', 'tlog', 'analytics', 'storage', 'build'],
    ...['readSettings.ts', 'contradictions.ts', 'api', 'openapi'],
    ...['acceptFindings.ts', 'removalPolicy.ts', 'settings.ts', 'tables.ts'],
  ],
  cli: [
    ...['ailog.js', 'main.ts', 'pack', 'verifyPage', 'teamCommands.ts'],
    // Commands. The folders are named like the groups of the help.
    ...['allowlist', 'keys', 'logs', 'reviews', 'data', 'report', 'tlog', 'team', 'ops'],
    // Programs of package.json.
    ...['demo', 'local'],
    ...[
      'console',
      'audit',
      'delivery',
      'verdicts',
      'evidence',
      'rows',
      'analysis',
      'inclusion',
      'exports',
      'entries',
      'tables',
      'cost',
    ],
    ...['target', 'files', 'terminal', 'text'],
  ],
};
