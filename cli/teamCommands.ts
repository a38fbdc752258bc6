import { lazyCommand } from './shell/terminal/program.ts';

/** The commands of teams. `npm run pack:cli` builds a program of these and of `publicLogCommands`. */
export const teamCommands = [
  lazyCommand('upload', 'Upload a log or a folder of logs.', () => import('./commands/team/upload.ts')),
  lazyCommand('sign', 'Print the headers of an upload.', () => import('./commands/team/sign.ts')),
  lazyCommand('doctor', 'Find out why uploads fail.', () => import('./commands/team/doctor.ts')),
  lazyCommand('verify', 'Verify receipts and proofs.', () => import('./commands/team/verify.ts')),
];

/** The commands of auditors that need no more than those of teams: they read a public transparency log. */
export const publicLogCommands = [
  lazyCommand('monitor', 'Follow a public log.', () => import('./commands/tlog/monitor.ts')),
  lazyCommand('copy', 'Copy a public log into a folder.', () => import('./commands/tlog/copy.ts')),
];
