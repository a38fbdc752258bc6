/** A server that makes only the calls of an upload for each request, for `npm run bench load`. It prints its URL. */
import { createServer } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { listen } from '../../cli/local/serve.ts';
import { bareUpload } from './handler.ts';

const { NAMES = '', TEAM = '', BODY = '' } = process.env;
const db = DynamoDBDocumentClient.from(new DynamoDBClient());
const upload = bareUpload({ db, names: JSON.parse(NAMES) } as never, JSON.parse(TEAM), BODY);

const answer = JSON.stringify({ code: '00000', msg: 'success', requestTime: 0, data: 'upload success' });
const server = createServer((request, response) => {
  // The body is read, as every server must.
  request.resume().once('end', () => {
    upload().then(
      () => response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer),
      () => response.destroy(),
    );
  });
});
process.once('SIGTERM', () => server.close().closeAllConnections());
console.error(`Listening on ${await listen(server, 0)}`);
