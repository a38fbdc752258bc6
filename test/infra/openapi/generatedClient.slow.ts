import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DESCRIPTION_PATH } from '../../../infra/openapi/describeApi.ts';
import { exampleLog } from '../../../infra/openapi/exampleLog.ts';
import { execute } from '../../setup/execute.ts';
import { openFixture } from '../../setup/fixture.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';
import { overHttp } from '../../setup/transports.ts';

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const node = process.execPath;

/** A client that uses the generated types for everything that it sends and receives. */
const client = `
import { createHmac } from 'node:crypto';
import type { components, paths } from './api.ts';

type Upload = paths['/capi/v2/order/uploadAiLog']['post'];
type Answer = { [Status in 200 | 400 | 401]: Upload['responses'][Status]['content']['application/json'] }[200 | 400 | 401];

const log: components['schemas']['AiLog'] = ${JSON.stringify(exampleLog)};
// @ts-expect-error A misspelt key is an error of the compiler.
export const misspelt: components['schemas']['AiLog'] = { ...log, order_id: '1' };
const body: string = JSON.stringify(log satisfies Upload['requestBody']['content']['application/json']);
const path: keyof paths = '/capi/v2/order/uploadAiLog';
const parameters: Upload['parameters']['header'] = { 'ACCESS-TIMESTAMP': String(Date.now()), locale: 'en_US' };
const sign = createHmac('sha256', process.env['SECRET']!).update(parameters['ACCESS-TIMESTAMP'] + 'POST' + path + body);
const response = await fetch(process.env['BASE_URL'] + path, {
  method: 'POST',
  headers: {
    ...parameters,
    'ACCESS-KEY': process.env['ACCESS_KEY']!,
    'ACCESS-PASSPHRASE': process.env['PASSPHRASE']!,
    'ACCESS-SIGN': sign.digest('base64'),
    'Content-Type': 'application/json',
  },
  body,
});
const { code, data }: Answer = await response.json();
const text: string | null = data;
console.log(code, text);
`;

test('a client with types from openapi-typescript compiles and uploads', async () => {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  // biome-ignore format: several a line
  const generated = await execute([
    node, '--import', root('test/infra/openapi/typescript5.ts'), root('node_modules/openapi-typescript/bin/cli.js'),
    DESCRIPTION_PATH, '--output', file('api.ts'),
  ]);
  expect(generated, generated.stderr).toMatchObject({ exitCode: 0 });
  writeFileSync(file('client.ts'), client);
  writeFileSync(file('package.json'), '{"type":"module"}');
  // biome-ignore format: several a line
  const compiled = await execute([
    node, root('node_modules/typescript/bin/tsc'), '--strict', '--exactOptionalPropertyTypes', '--module',
    'nodenext', '--target', 'es2024', '--types', 'node', '--typeRoots', root('node_modules/@types'),
    '--allowImportingTsExtensions', '--rewriteRelativeImportExtensions', file('client.ts'),
  ]);
  expect(compiled).toMatchObject({ exitCode: 0, stdout: '' });

  const fixture = await openFixture();
  const transport = await overHttp(fixture);
  const { uid, accessKey, secret, passphrase } = await fixture.team();
  const [, baseUrl = ''] = /listening on (\S+)/i.exec(transport.output()) ?? [];
  const env = { BASE_URL: baseUrl, ACCESS_KEY: accessKey, SECRET: secret, PASSPHRASE: passphrase };
  const ran = await execute([node, file('client.js')], { env });
  await transport.close();

  expect(ran).toMatchObject({ exitCode: 0, stdout: '00000 upload success\n' });
  expect(await fixture.entriesOf(uid)).toHaveLength(1);
});
