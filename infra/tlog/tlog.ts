import { hash } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import { CheckpointKey, ReceiptSealingKey } from './keys.ts';
import { PublicTlog } from './publicTlog.ts';
import { SequencerFunction } from './sequencerFunction.ts';
import { TlogBucket } from './tlogBucket.ts';

/**
 * Returns a name that no other deployment has, of nothing that can change: two logs of one name contradict each other.
 */
const defaultOrigin = ({ account, region }: Stack, { stage }: Settings): string =>
  `ai-log-upload/${account}/${region}/${stage}`;

/** The transparency log of a deployment: its files, its keys, and the function that appends to it. */
export class Tlog extends Construct {
  /** The name of the transparency log. It is part of every receipt and every checkpoint. */
  readonly origin: string;
  readonly bucket: TlogBucket;
  /** The path on which anyone reads it; undefined without one. */
  readonly public: PublicTlog | undefined;
  readonly checkpointKeys: readonly CheckpointKey[];
  readonly receiptSealingKey: ReceiptSealingKey;
  readonly sequencer: SequencerFunction;

  constructor(scope: Construct, id: string, { settings, tables }: { settings: Settings; tables: Tables }) {
    super(scope, id);
    this.origin = settings.tlogOrigin ?? defaultOrigin(Stack.of(this), settings);
    // Another name is another log, with a bucket and a sealing key of its own.
    const ofLog = settings.tlogOrigin === undefined ? '' : hash('sha256', settings.tlogOrigin).slice(0, 8);
    const bucket = new TlogBucket(this, `Files${ofLog}`, { settings, origin: this.origin });
    this.bucket = bucket;
    // The distribution stays when a new log begins, and turns to its bucket: CloudFront takes no second one with the
    // same domain name. The paths of both logs differ.
    const ofPublic = { settings, bucket, origin: this.origin };
    this.public = settings.tlogPublic ? new PublicTlog(this, 'Public', ofPublic) : undefined;
    const named = settings.checkpointKeys.split(',');
    // Keys of lower numbers stay, so that a step back finds the key that signed: a new one would not be in the log.
    const highest = Math.max(0, ...named.map(Number).filter(Number.isInteger));
    const made = Array.from(
      { length: highest },
      (_, index) => new CheckpointKey(this, `CheckpointKey${index + 1}`, { settings }),
    );
    this.checkpointKeys = named.map(
      (key, index) =>
        made[Number(key) - 1] ??
        new CheckpointKey(this, `ExistingCheckpointKey${index + 1}`, { settings, existing: key }),
    );
    this.receiptSealingKey = new ReceiptSealingKey(this, `ReceiptSealingKey${ofLog}`, {
      settings,
      origin: this.origin,
    });
    const { origin, checkpointKeys, receiptSealingKey } = this;
    const parts = { settings, origin, tables, bucket, checkpointKeys, receiptSealingKey };
    this.sequencer = new SequencerFunction(this, 'Sequencer', parts);
  }
}
