import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';

/** The files of feature rows and folded texts of a deployment. A write is durable when the call returns. */
export type RowBucket = ReturnType<typeof rowBucket>;

export const rowBucket = (s3: S3Client, bucket: string) => ({
  async list(Prefix: string): Promise<string[]> {
    const pages = await Array.fromAsync(paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix }));
    return pages.flatMap(({ Contents = [] }) => Contents.map(({ Key }) => Key as string));
  },

  async get(Key: string): Promise<Uint8Array> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    return (await Body?.transformToByteArray()) as Uint8Array;
  },

  /** Creates a file; keeps the one that has the name already. Its name must say which rows it has. */
  async create(Key: string, Body: Uint8Array): Promise<void> {
    const ContentType = 'application/vnd.apache.parquet';
    try {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType, IfNoneMatch: '*' }));
    } catch (error) {
      if (!(error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412)) throw error;
    }
  },

  remove: (Key: string) => s3.send(new DeleteObjectCommand({ Bucket: bucket, Key })),
});
