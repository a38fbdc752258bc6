import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { uid } from '../../shell/terminal/arguments.ts';
import { defineChange } from '../../shell/terminal/defineCommand.ts';
import { prepareCopy } from '../../store/tables/copyItems.ts';
import { clientSettings } from '../../store/targets/openedTarget.ts';

export default defineChange({
  words: 'ops restore',
  for: 'Operators',
  summary: 'Copy the items of a restored table back into the live table.',
  details: `Items that exist in the live table stay unchanged. Only logs can be replaced: a team or a key has a history, to
which its return is added.`,
  examples: [
    ['ops restore --from Logs-restored --to Logs', 'write the items that are missing'],
    ['ops restore --from Logs-restored --to Logs --uid 1001', 'write the missing items of one team'],
    ['ops restore --from Logs-restored --to Logs --overwrite', 'replace existing logs too, after confirmation'],
  ],
  options: {
    from: { flags: '--from <table>', help: 'the restored table', required: true },
    to: { flags: '--to <table>', help: 'the live table', required: true },
    owner: { flags: '--uid <uid>', help: 'copy only the items of this UID', read: uid },
    overwrite: { flags: '--overwrite', help: 'replace logs that exist in the live table' },
    region: { flags: '--region <region>', help: 'the region of the tables (default: AWS_REGION or the profile)' },
    profile: { flags: '--profile <name>', help: 'the AWS profile to use' },
  },
  async run({ from, to, owner, overwrite, ...account }) {
    const settings = clientSettings(account);
    const who = async () => {
      const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
      return (await new STSClient(settings).send(new GetCallerIdentityCommand({}))).Arn as string;
    };
    const asked = { from, to, uid: owner, overwrite, who };
    const { copy, isRecorded } = await prepareCopy(new DynamoDBClient(settings), asked);
    const old = `Teams and keys that are missing in ${to} come back as they were in ${from}: approved or valid, too. Write them?`;
    return {
      plan: { from, to, uid: owner ?? null, overwrite },
      questions: [
        ...(overwrite ? [`Replace the items of ${to} by those of ${from}?`] : []),
        ...(isRecorded ? [old] : []),
      ],
      apply: copy,
    };
  },
  plans: ({ from, to, uid, overwrite }) => [
    `Items of ${from} would be written to ${to}${uid === null ? '' : `, those of UID ${uid}`}.`,
    `Items that exist there ${overwrite ? 'would be replaced' : 'stay unchanged'}.`,
  ],
  shows: ({ written, kept }, { to }) => [`Written to ${to}: ${written}. Left unchanged because they exist: ${kept}.`],
});
