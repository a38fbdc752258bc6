import { lazyCommand } from './terminal/program.ts';

/** The commands of teams. `npm run pack:cli` builds a program of these alone. */
export const teamCommands = [
  lazyCommand('upload', 'Upload a log or a folder of logs.', async () => (await import('./team/upload.ts')).uploadLogs),
  lazyCommand('sign', 'Print the headers of an upload.', async () => (await import('./team/sign.ts')).signLog),
  lazyCommand('doctor', 'Find out why uploads fail.', async () => (await import('./team/doctor.ts')).examineUploads),
  lazyCommand('verify', 'Verify receipts and proofs.', async () => (await import('./team/verify.ts')).verifyEvidence),
];
