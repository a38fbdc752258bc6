/**
 * The `ailog` that organisers hand out to teams: the commands that need no access to the tables. `npm run pack:cli`
 * builds one file of it.
 */
import packageJson from '../../package.json' with { type: 'json' };
import { teamCommands } from '../teamCommands.ts';
import { type CommandList, group, runProcess } from '../terminal/program.ts';

const commands: CommandList = {
  version: packageJson.version,
  ...group('ailog', 'Upload AI logs, find out why uploads are rejected, and verify receipts.', teamCommands),
};

await runProcess(commands);
