/** The `ailog` that organisers hand out to teams: commands that need no tables. `npm run pack:cli` builds it. */
import packageJson from '../../package.json' with { type: 'json' };
import { type CommandList, group, runProcess } from '../shell/terminal/program.ts';
import { PROGRAM } from '../shell/terminal/programName.ts';
import { publicLogCommands, teamCommands } from '../teamCommands.ts';

const commands: CommandList = {
  version: packageJson.version,
  ...group(PROGRAM, 'Upload AI logs, find out why uploads are rejected, and verify receipts.', [
    ...teamCommands,
    group('tlog', 'The transparency log.', publicLogCommands),
  ]),
};

await runProcess(commands);
