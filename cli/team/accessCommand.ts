import { command } from '../terminal/command.ts';

/** A command of a team: it acts with an API key, and needs no tables. */
export const accessCommand = (...about: Parameters<typeof command>) =>
  command(...about).option(
    '--credentials <file>',
    'a file with AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE that you alone can read (default: the environment)',
  );
