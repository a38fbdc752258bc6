import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

interface HttpResponse {
  readonly statusCode: number;
  body: AsyncIterable<Uint8Array> | Uint8Array;
}

/** Returns the bytes of a body in a buffer of their own, which can be transferred to a worker thread. */
async function collect(body: HttpResponse['body']): Promise<Uint8Array<ArrayBuffer>> {
  const chunks = body instanceof Uint8Array ? [body] : await Array.fromAsync(body);
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/**
 * Sends a query and returns the response as DynamoDB sent it: converting it to objects takes most of the time of a
 * read, and can be done in another thread. Signing, retries and errors stay those of the SDK.
 */
export async function sendForResponse(
  db: DynamoDBDocumentClient,
  command: QueryCommand,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as HttpResponse;
      if (response.statusCode < 300) {
        bytes = await collect(response.body);
        response.body = Buffer.from('{}');
      }
      return result;
    },
    // The document client adds the middleware of a command twice.
    { step: 'deserialize', priority: 'low', name: 'keepResponse', override: true },
  );
  await db.send(command);
  return bytes as Uint8Array<ArrayBuffer>;
}
