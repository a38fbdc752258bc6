import { lazyCommand } from './shell/terminal/program.ts';

/** The commands of teams. `npm run pack:cli` builds a program of these alone. */
export const teamCommands = [
  lazyCommand('upload', 'Upload a log or a folder of logs.', () => import('./commands/team/upload.ts')),
  lazyCommand('sign', 'Print the headers of an upload.', () => import('./commands/team/sign.ts')),
  lazyCommand('doctor', 'Find out why uploads fail.', () => import('./commands/team/doctor.ts')),
  lazyCommand('verify', 'Verify receipts and proofs.', () => import('./commands/team/verify.ts')),
];

/** Follows a public transparency log. It is a command of auditors, and needs no more than those of teams. */
export const monitorCommand = lazyCommand(
  'monitor',
  'Follow a public log.',
  () => import('./commands/tlog/monitor.ts'),
);
