import type { RemovalPolicy } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import { CheckpointKey } from './checkpointKey.ts';
import { ReceiptSealingKey } from './receiptSealingKey.ts';
import { SequencerFunction } from './sequencerFunction.ts';
import { TlogBucket } from './tlogBucket.ts';

/** The transparency log of a deployment: its files, its keys, and the function that appends to it. */
export class Tlog extends Construct {
  /** The name of the transparency log. It is part of every receipt and every checkpoint. */
  readonly origin: string;
  readonly bucket: TlogBucket;
  /** The keys that sign checkpoints: one, or two during a rotation. */
  readonly checkpointKeys: readonly CheckpointKey[];
  readonly receiptSealingKey: ReceiptSealingKey;
  readonly sequencer: SequencerFunction;

  constructor(
    scope: Construct,
    id: string,
    { settings, tables, removalPolicy }: { settings: Settings; tables: Tables; removalPolicy: RemovalPolicy },
  ) {
    super(scope, id);
    this.origin = settings.tlogOrigin ?? `ai-log-upload/${settings.stage}`;
    const { tlogBucket } = settings;
    this.bucket = new TlogBucket(this, tlogBucket === '1' ? 'Files' : `Files${tlogBucket}`, { settings });
    this.checkpointKeys = settings.checkpointKeys
      .split(',')
      .map((key, index) =>
        key.startsWith('arn:')
          ? new CheckpointKey(this, `ExistingCheckpointKey${index + 1}`, { existing: key, removalPolicy })
          : new CheckpointKey(this, `CheckpointKey${key}`, { removalPolicy }),
      );
    this.receiptSealingKey = new ReceiptSealingKey(this, 'ReceiptSealingKey', {
      existing: settings.receiptSealingKeyArn,
      origin: this.origin,
      removalPolicy,
    });
    this.sequencer = new SequencerFunction(this, 'Sequencer', {
      settings,
      origin: this.origin,
      tables,
      bucket: this.bucket,
      checkpointKeys: this.checkpointKeys,
      receiptSealingKey: this.receiptSealingKey,
      removalPolicy,
    });
  }
}
