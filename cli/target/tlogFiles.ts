import { opendir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';

/** Turns the error of a read into undefined if there is no such file or folder. @throws any other error */
export const orMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

/** The subfolder in which a local run writes files before they get their names. */
export const UNFINISHED = '.unfinished';

/** Reads the files of a transparency log. */
export interface TlogFiles {
  /** The folder or bucket, for messages. */
  readonly location: string;
  /** Returns the bytes of a file; undefined if there is none. @param path such as `checkpoint` or `tile/0/000` */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Yields the paths of all files in a folder and its subfolders, such as `checkpoints`, in no particular order. An
   * empty folder stands for the whole log.
   */
  list(folder: string): AsyncIterable<string>;
  /** Returns the time at which a file was stored, in milliseconds since 1970; undefined if there is none. */
  modifiedAt(path: string): Promise<number | undefined>;
}

/**
 * Yields the files of a folder and its subfolders. One entry at a time is read: the checkpoints of a log can be a
 * million.
 */
async function* filesBelow(folder: string, path: string): AsyncGenerator<string> {
  for await (const file of (await opendir(join(folder, path)).catch(orMissing)) ?? []) {
    const inner = path === '' ? file.name : `${path}/${file.name}`;
    if (file.isDirectory()) yield* filesBelow(folder, inner);
    else if (file.isFile()) yield inner;
  }
}

/** Returns the files of a log in a folder: those of the local run, or a copy of a bucket. */
export const folderFiles = (folder: string): TlogFiles => ({
  location: folder,
  read: async (path) => readFile(join(folder, path)).catch(orMissing),
  modifiedAt: async (path) => (await stat(join(folder, path)).catch(orMissing))?.mtimeMs,
  list: (path) => filesBelow(folder, path),
});

/** Returns the files of a log in an S3 bucket. */
export const bucketFiles = (s3: S3Client, bucket: string): TlogFiles => ({
  location: `s3://${bucket}`,
  async read(path) {
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: path }));
      return await Body?.transformToByteArray();
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  },
  async modifiedAt(path) {
    try {
      const { LastModified } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: path }));
      return LastModified?.getTime();
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  },
  async *list(folder) {
    const Prefix = folder === '' ? '' : `${folder}/`;
    for await (const { Contents } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix })) {
      for (const { Key } of Contents ?? []) if (Key !== undefined) yield Key;
    }
  },
});
