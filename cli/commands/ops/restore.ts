import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { uid } from '../../shell/terminal/arguments.ts';
import { command } from '../../shell/terminal/command.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { copyItems } from '../../store/tables/copyItems.ts';
import { clientSettings } from '../../store/targets/openedTarget.ts';

export default (terminal: Terminal) =>
  command('restore', {
    summary: 'Copy the items of a restored table back into the live table. Existing items stay unchanged.',
    examples: [
      ['ops restore --from Logs-restored --to Logs', 'write the items that are missing'],
      ['ops restore --from Logs-restored --to Logs --uid 1001', 'only those of one team'],
      ['ops restore --from Logs-restored --to Logs --overwrite', 'replace existing items too'],
    ],
  })
    .requiredOption('--from <table>', 'the restored table')
    .requiredOption('--to <table>', 'the live table')
    .option('--uid <uid>', 'copy only the items of this UID', uid)
    .option('--overwrite', 'replace items that exist in the live table')
    .option('--region <region>', 'the region of the tables (default: AWS_REGION or the profile)')
    .option('--profile <name>', 'the AWS profile to use')
    .action(async ({ from, to, uid: owner, overwrite = false, json, ...account }) => {
      const client = new DynamoDBClient(clientSettings(account));
      const { written, kept } = await copyItems(client, { from, to, uid: owner, overwrite });
      if (json) return terminal.json({ written, kept });
      await terminal.print(`Written to ${to}: ${written}. Left unchanged because they exist: ${kept}.`);
    });
