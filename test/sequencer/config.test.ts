import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSequencerConfig } from '../../functions/sequencer/config.ts';
import { tableVariable } from '../../functions/tables.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

test('the configuration names every variable that is missing or wrong', () => {
  const wanted = {
    TLOG_ORIGIN: 'log.example/ailog',
    TLOG_BUCKET: 'bucket',
    [tableVariable('aiLogs')]: 'logs',
    [tableVariable('receiptKeys')]: 'keys',
    CHECKPOINT_KEY_ARNS: 'arn:new,arn:old',
    RECEIPT_SEALING_KEY_ARN: 'arn:seal',
    RECEIPT_KEY: '2',
    SERVICE_NAME: 'AiLogUpload-prod',
  };
  expect(readSequencerConfig({ ...wanted, WITNESSES_FILE: '' })).toEqual({
    origin: 'log.example/ailog',
    retentionDays: 0,
    bucket: 'bucket',
    tables: { aiLogs: 'logs', receiptKeys: 'keys' },
    checkpointKeyArns: ['arn:new', 'arn:old'],
    receiptSealingKeyArn: 'arn:seal',
    receiptKey: 2,
    witnesses: undefined,
    serviceName: 'AiLogUpload-prod',
  });
  const file = (text: string) => {
    const path = join(temporaryFolder(), 'witnesses.policy');
    writeFileSync(path, text);
    return path;
  };
  const none = { ...wanted, WITNESSES_FILE: file('quorum none\n') };
  expect(readSequencerConfig(none).witnesses).toMatchObject({ quorum: { threshold: 0 } });
  expect(() => readSequencerConfig({ TLOG_ORIGIN: 'a b', WITNESSES_FILE: file('quorum') })).toThrow(
    new Error(
      'Environment variables missing or wrong: ' +
        'TLOG_ORIGIN (a name without spaces and "+": A key name is not empty and has neither spaces nor "+": "a b".), ' +
        `TLOG_BUCKET (a bucket name), ${tableVariable('aiLogs')} (a table name), ${tableVariable('receiptKeys')} (a table name), ` +
        'CHECKPOINT_KEY_ARNS (ARNs of KMS keys with commas between them), ' +
        'RECEIPT_SEALING_KEY_ARN (the ARN of a KMS key), ' +
        'RECEIPT_KEY (a number from 1), ' +
        'WITNESSES_FILE (the path of a tlog-policy: Line 1 of the policy: expected one name.), ' +
        'SERVICE_NAME (the name of the stack)',
    ),
  );
});
