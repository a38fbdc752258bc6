import { createHash, createHmac } from 'node:crypto';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import {
  aiLog,
  headerOf,
  jsonOf,
  signedUpload,
  type Team,
  type Upload,
  type UploadChange,
  withHeader,
} from '../setup/world.ts';

/** A valid upload with one change, and the expected response. */
export interface Case {
  readonly name: string;
  readonly signed?: UploadChange;
  /** A change after the request is signed. */
  readonly sent?: (upload: Upload, team: Team) => Upload;
  /** The state of the team, if it is not approved with an active key. */
  readonly team?: { status?: string | null; key?: Partial<ApiKey> };
  readonly status: number;
  readonly code: string;
  readonly msg?: string | RegExp;
  /** The header AI-LOG-WARNING. Absent: the response has none. */
  readonly warning?: string;
  /** Attributes of the stored entry. The number of entries and the weight follow from the status. */
  readonly entry?: Record<string, unknown>;
}

const body = (change: Record<string, unknown>): UploadChange => ({ body: jsonOf({ ...aiLog, ...change }) });
const raw = (text: string | Buffer): UploadChange => ({ body: text });
const header = (name: string, value?: string) => (upload: Upload) => withHeader(upload, name, value);
const without = (field: string) => {
  const { [field as 'stage']: _, ...rest } = aiLog;
  return raw(jsonOf(rest));
};
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const ok = { status: 200, code: '00000', msg: 'success' };
const escaped = (text: string) => text.replace(/[()\\]/g, '\\$&');
const unknownKey = (received: string) =>
  new RegExp(`^${escaped(`Invalid ACCESS-KEY: ${received} is unknown here, revoked or expired`)}$`);
const malformed = (seen: string) =>
  `Signature verification failed: ACCESS-SIGN ${seen}; send the HMAC-SHA256 in base64, which has 44 characters`;
const decoded = (encoding: string) =>
  `Signature verification failed: the secret was decoded from ${encoding} before signing; sign with its text as it was issued`;
const noQuery = 'Query string is not supported, send none';
/** Changes ACCESS-SIGN to another form of the right HMAC. */
const resigned = (spell: (hmac: Buffer) => string) => (upload: Upload) =>
  withHeader(upload, 'ACCESS-SIGN', spell(Buffer.from(headerOf(upload, 'ACCESS-SIGN') as string, 'base64')));
/** Signs with a key that is not the text of the secret. */
const signedWith =
  (keyOf: (secret: string, team: Team) => Buffer) =>
  (upload: Upload, team: Team): Upload => {
    const text = `${headerOf(upload, 'ACCESS-TIMESTAMP')}POST${upload.path}`;
    const hmac = createHmac('sha256', keyOf(team.secret, team)).update(text).update(upload.body);
    return withHeader(upload, 'ACCESS-SIGN', hmac.digest('base64'));
  };
const clock = (seconds: number) => ({ timestamp: () => Date.now() + seconds * 1000 });

// biome-ignore format: one case a line
const headerCases: Case[] = [
  ...[
    ['ACCESS-KEY', '40001'],
    ['ACCESS-SIGN', '40002'],
    ['ACCESS-TIMESTAMP', '40003'],
    ['ACCESS-PASSPHRASE', '40011'],
  ].flatMap(([name = '', code = '']): Case[] => [
    { name: `${name} is missing`, sent: header(name), status: 401, code, msg: `Header "${name}" is required` },
    { name: `${name} is blank`, sent: header(name, '  '), status: 401, code, msg: `Header "${name}" is required` },
  ]),
  ...['a=1', 'flag', 'a=', '=1', 'a=1&a=2', '__proto__=1', 'x=%E4%BD%A0'].map((query): Case => ({ name: `the query string is ${query}`, sent: (u) => ({ ...u, query }), status: 400, code: '40017', msg: noQuery })),
  { name: 'locale is missing', sent: header('locale'), status: 400, code: '40017', msg: 'Header "locale" is required, send one such as en-US' },
  { name: 'locale is a list', sent: header('locale', 'en-US,en;q=0.9'), status: 400, code: '40017', msg: 'Header "locale" is not a locale: "en-US,en;q=0.9"; send one such as en-US: a letter, then at most 63 of letters, digits and -_.@' },
  { name: 'locale has 65 characters', sent: header('locale', `a${'b'.repeat(64)}`), status: 400, code: '40017', msg: new RegExp(`is not a locale: "a${'b'.repeat(39)}…"; send`) },
  { name: 'locale has 64 characters', sent: header('locale', `a${'b'.repeat(63)}`), ...ok, entry: { locale: `a${'b'.repeat(63)}` } },
  { name: 'locale has an underscore', sent: header('locale', 'zh_CN'), ...ok, entry: { locale: 'zh_CN' } },
  { name: 'locale is a POSIX locale', sent: header('locale', 'zh_CN.UTF-8@pinyin'), ...ok, entry: { locale: 'zh_CN.UTF-8@pinyin' } },
  { name: 'locale is a long language tag', sent: header('locale', 'zh-cmn-Hans-CN-x-bot'), ...ok, entry: { locale: 'zh-cmn-Hans-CN-x-bot' } },
  { name: 'Content-Type is missing', sent: header('Content-Type'), status: 415, code: '40007', msg: 'Invalid Content-Type, use "application/json"' },
  { name: 'Content-Type is text', sent: header('Content-Type', 'text/plain'), status: 415, code: '40007' },
  { name: 'Content-Type is another JSON type', sent: header('Content-Type', 'application/json-patch+json'), status: 415, code: '40007' },
  { name: 'Content-Type has a charset', sent: header('Content-Type', 'application/json; charset=utf-8'), ...ok },
  { name: 'Content-Type has spaces around it', sent: header('Content-Type', ' application/json ; charset=utf-8'), ...ok },
  { name: 'Content-Type is in capitals', sent: header('Content-Type', 'Application/JSON;charset=UTF-8'), ...ok },
  { name: 'header names are in lower case', sent: (u) => ({ ...u, headers: u.headers.map(([n, v]) => [n.toLowerCase(), v] as const) }), ...ok },
  { name: 'header names are in capitals', sent: (u) => ({ ...u, headers: u.headers.map(([n, v]) => [n.toUpperCase(), v] as const) }), ...ok },
  { name: 'Content-Encoding is gzip', sent: header('Content-Encoding', 'gzip'), status: 415, code: '40007', msg: /"gzip" is not supported, send the body plain/ },
  { name: 'Content-Encoding is long', sent: header('Content-Encoding', 'x'.repeat(41)), status: 415, code: '40007', msg: /"x{40}…" is not supported/ },
  { name: 'Content-Encoding is identity', sent: header('Content-Encoding', 'identity'), ...ok },
];

// biome-ignore format: one case a line
const accessCases: Case[] = [
  { name: 'timestamp in seconds', signed: { timestamp: () => Math.floor(Date.now() / 1000) }, status: 401, code: '40005', msg: /^Invalid ACCESS-TIMESTAMP/ },
  { name: 'timestamp in words', signed: { timestamp: () => 'now' }, status: 401, code: '40005' },
  { name: 'timestamp 45 s behind', signed: clock(-45), status: 401, code: '40008', msg: /^Request timestamp expired: the server clock reads \d{13}/ },
  { name: 'timestamp 45 s ahead', signed: clock(45), status: 401, code: '40008' },
  { name: 'timestamp 15 s behind', signed: clock(-15), ...ok },
  { name: 'timestamp 25 s ahead', signed: clock(25), ...ok },
  { name: 'an unknown key', sent: header('ACCESS-KEY', 'ailog_unknown'), status: 401, code: '40006', msg: unknownKey('"ailog_unkn…" (13 characters)') },
  { name: 'a short unknown key', sent: header('ACCESS-KEY', 'my-key'), status: 401, code: '40006', msg: unknownKey('"my-key" (6 characters)') },
  { name: 'a key in quotation marks', sent: (u, team) => header('ACCESS-KEY', `"${team.accessKey}"`)(u), status: 401, code: '40006', msg: unknownKey('"\\"ailog_[0-9a-f]{3}…" (40 characters, with a quotation mark)') },
  { name: 'a key with a space in it', sent: header('ACCESS-KEY', 'Bearer ailog_unknown'), status: 401, code: '40006', msg: unknownKey('"Bearer ail…" (20 characters, with white space)') },
  { name: 'a key that begins with 0x', sent: header('ACCESS-KEY', `0x${'ab'.repeat(16)}`), status: 401, code: '40006', msg: unknownKey('"0xabababab…" (34 characters, with 0x before it)') },
  { name: 'the secret as a key', sent: (u, team) => header('ACCESS-KEY', team.secret)(u), status: 401, code: '40006', msg: unknownKey('a value in the form of a secret') },
  { name: 'the passphrase as a key', sent: (u, team) => header('ACCESS-KEY', team.passphrase)(u), status: 401, code: '40006', msg: unknownKey('a value in the form of a passphrase') },
  { name: 'a key longer than DynamoDB allows', sent: header('ACCESS-KEY', 'x'.repeat(2049)), status: 401, code: '40006', msg: unknownKey('"xxxxxxxxxx…" (2049 characters)') },
  { name: 'a revoked key', team: { key: { status: 'revoked' } }, status: 401, code: '40006', msg: /^Invalid ACCESS-KEY: "ailog_[0-9a-f]{4}…" \(38 characters\) is unknown here, revoked or expired$/ },
  { name: 'a key whose status is misspelt', team: { key: { status: 'Active' as 'active' } }, status: 401, code: '40006' },
  { name: 'an expired key', team: { key: { expiresAt: '2026-01-01T00:00:00Z' } }, status: 401, code: '40006' },
  { name: 'a key whose expiry is not a date', team: { key: { expiresAt: 'soon' } }, status: 401, code: '40006' },
  { name: 'a key that expires later', team: { key: { expiresAt: '2999-01-01T00:00:00Z' } }, ...ok },
  { name: 'a signature with another secret', sent: (_, team) => signedUpload({ ...team, secret: 'wrong' }), status: 401, code: '40009', msg: 'Signature verification failed. Usual causes: the body was serialised again after signing; the secret belongs to another key; the signed path is not /capi/v2/order/uploadAiLog; the signed timestamp is not ACCESS-TIMESTAMP. "node ailog.mjs doctor" finds the cause' },
  { name: 'a signature in hex', sent: resigned((hmac) => hmac.toString('hex')), status: 401, code: '40009', msg: malformed('is in hex') },
  { name: 'a wrong signature in hex', sent: header('ACCESS-SIGN', 'AB'.repeat(32)), status: 401, code: '40009', msg: malformed('is in hex') },
  { name: 'a signature of 63 hex digits', sent: header('ACCESS-SIGN', 'a'.repeat(63)), status: 401, code: '40009', msg: malformed('has 63 characters') },
  { name: 'a signature of 65 hex digits', sent: header('ACCESS-SIGN', 'a'.repeat(65)), status: 401, code: '40009', msg: malformed('has 65 characters') },
  { name: 'a signature in base64 of hex', sent: resigned((hmac) => Buffer.from(hmac.toString('hex')).toString('base64')), status: 401, code: '40009', msg: malformed('is the base64 of hex text') },
  { name: 'a signature in base64url of hex', sent: resigned((hmac) => Buffer.from(hmac.toString('hex').toUpperCase()).toString('base64url')), status: 401, code: '40009', msg: malformed('is the base64 of hex text') },
  { name: 'a signature of HMAC-SHA512', sent: header('ACCESS-SIGN', Buffer.alloc(64, 1).toString('base64')), status: 401, code: '40009', msg: malformed('has 88 characters') },
  { name: 'a signature in the alphabet for URLs', sent: header('ACCESS-SIGN', Buffer.alloc(32, 0xff).toString('base64url')), status: 401, code: '40009', msg: malformed('is in the base64 alphabet for URLs, with - and _') },
  { name: 'a padded signature in the alphabet for URLs', sent: header('ACCESS-SIGN', `${'-'.repeat(43)}=`), status: 401, code: '40009', msg: malformed('is in the base64 alphabet for URLs, with - and _') },
  { name: 'a signature of 44 hyphens', sent: header('ACCESS-SIGN', '-'.repeat(44)), status: 401, code: '40009', msg: malformed('is not base64') },
  { name: 'a signature without its padding', sent: header('ACCESS-SIGN', 'A'.repeat(43)), status: 401, code: '40009', msg: malformed('lacks the = at its end') },
  { name: 'a percent-encoded signature', sent: resigned((hmac) => encodeURIComponent(hmac.toString('base64'))), status: 401, code: '40009', msg: malformed('is percent-encoded') },
  { name: 'a signature of 44 other characters', sent: header('ACCESS-SIGN', `${'!'.repeat(43)}=`), status: 401, code: '40009', msg: malformed('is not base64') },
  { name: 'an unknown key with a signature in hex', sent: (u) => withHeader(withHeader(u, 'ACCESS-KEY', 'ailog_unknown'), 'ACCESS-SIGN', 'ab'.repeat(32)), status: 401, code: '40006', msg: /^Invalid ACCESS-KEY/ },
  { name: 'a signature with the secret decoded from hex', sent: signedWith((secret) => Buffer.from(secret, 'hex')), status: 401, code: '40009', msg: decoded('hex') },
  { name: 'a signature with the secret decoded from base64', sent: signedWith((secret) => Buffer.from(secret, 'base64')), status: 401, code: '40009', msg: decoded('base64') },
  { name: 'a signature with the passphrase', sent: signedWith((_, { passphrase }) => Buffer.from(passphrase)), status: 401, code: '40009', msg: /Usual causes/ },
  { name: 'a revoked key with the secret decoded from hex', team: { key: { status: 'revoked' } }, sent: signedWith((secret) => Buffer.from(secret, 'hex')), status: 401, code: '40006', msg: /^Invalid ACCESS-KEY/ },
  { name: 'a signature over another path', sent: (u, team) => header('ACCESS-SIGN', createHmac('sha256', team.secret) .update(`${headerOf(u, 'ACCESS-TIMESTAMP')}POST/prod${u.path}`) .update(u.body) .digest('base64'))(u), status: 401, code: '40009' },
  { name: 'a body changed after signing', sent: (u) => ({ ...u, body: Buffer.from(`${u.body} `) }), status: 401, code: '40009' },
  { name: 'a timestamp changed after signing', sent: (u) => header('ACCESS-TIMESTAMP', String(Number(headerOf(u, 'ACCESS-TIMESTAMP')) - 1))(u), status: 401, code: '40009' },
  { name: 'a wrong passphrase', sent: header('ACCESS-PASSPHRASE', 'wrong'), status: 401, code: '40012', msg: 'Incorrect ACCESS-PASSPHRASE' },
  { name: 'a team that is not on the allowlist', team: { status: null }, status: 403, code: '40022', msg: /^UID \d+ is not on the AI log allowlist$/ },
  ...([['suspended', 'suspended'], ['disqualified', 'disqualified'], ['removed', undefined], ['Approved', 'not approved'], ['approved ', 'not approved'], ['', 'not approved']] as const).map(
    ([status, says]): Case => ({ name: `a team whose status is "${status}"`, team: { status }, status: 403, code: '40022', msg: says === undefined ? /^UID \d+ is not on the AI log allowlist$/ : new RegExp(`^UID \\d+ is ${says} on the AI log allowlist, the organisers can say why$`) }),
  ),
];

// biome-ignore format: one case a line
const bodyCases: Case[] = [
  { name: 'an empty body', signed: raw(''), status: 400, code: '40017', msg: 'Body is not valid JSON: it is empty' },
  { name: 'broken JSON', signed: raw('{"stage": '), status: 400, code: '40017', msg: 'Body is not valid JSON: expected a value at position 10 (line 1, column 11), received the end' },
  { name: 'a form instead of JSON', signed: raw('stage=a&model=b'), status: 400, code: '40017', msg: /: expected a value at position 0 .*, received "stage"$/ },
  { name: 'NaN', signed: raw(jsonOf(aiLog).replace('0.82', 'NaN')), status: 400, code: '40017', msg: /NaN|position/ },
  { name: 'Infinity', signed: raw(jsonOf(aiLog).replace('0.82', 'Infinity')), status: 400, code: '40017' },
  { name: '-Infinity', signed: raw(jsonOf(aiLog).replace('0.82', '-Infinity')), status: 400, code: '40017', msg: /^Body is not valid JSON: expected a value at position \d+ .*, received "-Infinity"$/ },
  { name: '-NaN', signed: raw('{"a":\n-NaN}'), status: 400, code: '40017', msg: 'Body is not valid JSON: expected a value at position 6 (line 2, column 1), received "-NaN"' },
  { name: 'a minus sign without a number', signed: raw('{"a":-}'), status: 400, code: '40017', msg: 'Body is not valid JSON: expected a value at position 5 (line 1, column 6), received "-"' },
  { name: '-Infinity beside an escaped name', signed: raw('{"\\u0061":-Infinity}'), status: 400, code: '40017', msg: 'Body is not valid JSON: expected a value at position 10 (line 1, column 11), received "-Infinity"' },
  { name: 'invalid UTF-8', signed: raw(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), status: 400, code: '40017', msg: 'Body is not valid JSON: it is not UTF-8' },
  { name: 'a byte-order mark', signed: raw(`\uFEFF${jsonOf(aiLog)}`), status: 400, code: '40017', msg: /byte-order mark/ },
  { name: 'an array', signed: raw(`[${jsonOf(aiLog)}]`), status: 400, code: '40017', msg: 'Body must be a JSON object, received an array' },
  { name: 'a bare string', signed: raw('"log"'), status: 400, code: '40017', msg: 'Body must be a JSON object, received a string' },
  { name: 'null', signed: raw('null'), status: 400, code: '40017', msg: 'Body must be a JSON object, received null' },
  { name: '300 000 nested brackets', signed: raw('['.repeat(300_000) + ']'.repeat(300_000)), status: 400, code: '40017', msg: /nested too deeply/ },
  { name: 'the key __proto__', signed: raw(jsonOf(aiLog).replace('{', '{"__proto__":{"stage":"x"},')), status: 400, code: '40017', msg: /the key "__proto__" is not allowed/ },
  { name: 'an empty object', signed: raw('{}'), status: 400, code: '40019', msg: 'Parameter stage cannot be empty; Parameter model cannot be empty; Parameter input cannot be empty; Parameter output cannot be empty; Parameter explanation cannot be empty' },
  { name: 'all fields in ai_log', signed: raw(jsonOf({ ai_log: aiLog })), status: 400, code: '40019', msg: /put the fields of "ai_log" at the top level of the body$/ },
  ...['stage', 'model', 'input', 'output', 'explanation'].flatMap((field): Case[] => [
    { name: `${field} is missing`, signed: without(field), status: 400, code: '40019', msg: `Parameter ${field} cannot be empty` },
    { name: `${field} is null`, signed: body({ [field]: null }), status: 400, code: '40019', msg: `Parameter ${field} cannot be empty` },
    { name: `${field} is ""`, signed: body({ [field]: '' }), status: 400, code: '40019', msg: `Parameter ${field} cannot be empty` },
    { name: `${field} is a number`, signed: body({ [field]: 5 }), status: 400, code: '40020', msg: new RegExp(`^Parameter ${field} is invalid: .* received a number$`) },
    { name: `${field} is an array`, signed: body({ [field]: ['a'] }), status: 400, code: '40020', msg: new RegExp(`^Parameter ${field} is invalid: .* received an array$`) },
  ]),
  ...([
    ['input', 'ai_input'],
    ['output', 'Output'],
    ['model', 'modelName'],
    ['stage', 'stage_name'],
    ['explanation', 'explaination'],
  ] as const).map(([field, key]): Case => ({
    name: `${field} is called ${key}`,
    signed: raw(jsonOf({ ...aiLog, [field]: undefined, [key]: aiLog[field] })),
    status: 400,
    code: '40019',
    msg: `Parameter ${field} cannot be empty (the key "${key}" is unknown: did you mean "${field}"?)`,
  })),
  { name: 'output is missing and a long key looks like it', signed: raw(jsonOf({ ...aiLog, output: undefined, [`output\n${'x'.repeat(40)}`]: 1 })), status: 400, code: '40019', msg: `Parameter output cannot be empty (the key "output\\n${'x'.repeat(33)}…" is unknown: did you mean "output"?)` },
  { name: 'output is missing and input is not', signed: without('output'), status: 400, code: '40019', msg: 'Parameter output cannot be empty' },
  ...['stage', 'model', 'explanation'].flatMap((field): Case[] => [
    ...([['blank', ' \n'], ['invisible', '\u200b\u00a0\ufe0f']] as const).map(([name, text]): Case => ({ name: `${field} is ${name}`, signed: body({ [field]: text }), status: 400, code: '40019', msg: `Parameter ${field} cannot be empty` })),
    { name: `${field} is a dot between zero-width spaces`, signed: body({ [field]: '\u200b.\u200b' }), ...ok },
  ]),
  { name: 'explanation has 1001 spaces', signed: body({ explanation: ' '.repeat(1001) }), status: 400, code: '40019', msg: 'Parameter explanation cannot be empty' },
  { name: 'input is a string of JSON', signed: body({ input: '{"a":1}' }), status: 400, code: '40020', msg: 'Parameter input is invalid: it must be a JSON object, received a string' },
  { name: 'stage is an object', signed: body({ stage: {} }), status: 400, code: '40020' },
  { name: 'input and output are {}', signed: body({ input: {}, output: {} }), ...ok },
  { name: 'input is nested 2 000 levels deep', signed: raw(jsonOf(aiLog).replace('"output":{', `"output":{"deep":${nested(2000)},`)), ...ok },
  { name: 'input has unusual keys', signed: body({ input: { '': 1, 'a.b': 2, toString: 3, constructor: 4, stage: 5, orderId: 7 } }), ...ok, entry: { orderId: 590480926522704171n } },
  { name: 'the body has other keys', signed: body({ version: 2, tags: ['a'] }), ...ok },
  { name: 'explanation has 1000 emojis', signed: body({ explanation: '📉'.repeat(1000) }), ...ok, entry: { explanation: undefined } },
  { name: 'explanation has 1001 letters', signed: body({ explanation: 'x'.repeat(1001) }), status: 400, code: '40020', msg: 'Parameter explanation is invalid: at most 1000 characters, received 1001' },
  { name: 'half an emoji in the explanation', signed: raw(jsonOf(aiLog).replace('📉', '\\ud83d')), ...ok },
  { name: 'half an emoji in the stage', signed: raw(jsonOf({ ...aiLog, stage: 'a📉' }).replace('📉', '\\ud83d')), ...ok, entry: { stage: 'a\uFFFD' } },
  { name: 'several fields are wrong', signed: body({ input: 1, model: '', explanation: 'x'.repeat(1001) }), status: 400, code: '40019', msg: 'Parameter model cannot be empty; Parameter input is invalid: it must be a JSON object, received a number; Parameter explanation is invalid: at most 1000 characters, received 1001' },
  { name: 'a wrong field comes before an empty one', signed: body({ stage: 5, explanation: '' }), status: 400, code: '40019', msg: 'Parameter explanation cannot be empty; Parameter stage is invalid: it must be a string, received a number' },
  { name: 'one field is blank and the next is missing', signed: raw(jsonOf({ ...aiLog, stage: ' ', model: undefined })), status: 400, code: '40019', msg: 'Parameter stage cannot be empty; Parameter model cannot be empty' },
  { name: 'model is an object', signed: body({ model: {} }), status: 400, code: '40020', msg: 'Parameter model is invalid: it must be a string, received an object' },
  { name: 'output is true', signed: body({ output: true }), status: 400, code: '40020', msg: 'Parameter output is invalid: it must be a JSON object, received a boolean' },
  { name: "Python's JSON", signed: raw(jsonOf(aiLog).replaceAll('":', '": ').replace('看空', '\\u770b\\u7a7a')), ...ok },
  { name: 'pretty-printed JSON', signed: raw(JSON.stringify({ ...aiLog, orderId: 1 }, null, '\t')), ...ok, entry: { orderId: 1n } },
  { name: 'a body of 1 MiB and a byte', signed: raw(Buffer.alloc(1024 * 1024 + 1, 0x20)), status: 413, code: '413', msg: 'Body too large: limit 1048576 bytes, received 1048577 bytes' },
  { name: 'a body of exactly 1 MiB', signed: raw(jsonOf({ ...aiLog, pad: '' }).replace('"pad":""', `"pad":"${'x'.repeat(1024 * 1024 - Buffer.byteLength(jsonOf({ ...aiLog, pad: '' })))}"`)), ...ok },
  { name: 'a body that does not fit into an item when compressed', signed: body({ input: { noise: noise(700_000) } }), status: 413, code: '413', msg: /limit 409600 bytes once compressed for storage, received \d+ bytes that take \d+$/ },
  { name: 'stage and model of 256 code points', signed: body({ stage: '📉'.repeat(256), model: 'm'.repeat(256) }), ...ok, entry: { stage: '📉'.repeat(256), model: 'm'.repeat(256) } },
  { name: 'stage and model of 257 code points', signed: body({ stage: `${'📉'.repeat(256)}x`, model: `x${'📉'.repeat(256)}` }), ...ok, entry: { stage: '📉'.repeat(256), model: `x${'📉'.repeat(255)}` } },
  { name: 'a model name that does not fit into an item', signed: body({ model: 'm'.repeat(500_000) }), ...ok, entry: { model: 'm'.repeat(256) } },
];

/** Returns text that compresses badly and is the same in every run: base64 of a hash chain. */
function noise(length: number): string {
  let block = createHash('sha512').update('noise').digest();
  let text = '';
  while (text.length < length) {
    block = createHash('sha512').update(block).digest();
    text += block.toString('base64');
  }
  return text.slice(0, length);
}

// biome-ignore format: one case a line
const orderIds: [name: string, json: string, stored: bigint | undefined | 'rejected', quoted?: string][] = [
  ['18 digits', '590480926522704171', 590480926522704171n],
  ['the largest id', '9223372036854775807', 9223372036854775807n],
  ['one above the largest', '9223372036854775808', 'rejected'],
  ['20 digits', '18446744073709551615', 'rejected'],
  ['digits as a string', '"590480926522704171"', 590480926522704171n],
  ['the largest as a string', '"9223372036854775807"', 9223372036854775807n],
  ['one above the largest as a string', '"9223372036854775808"', 'rejected'],
  ['18 digits rounded by JavaScript', '702628302073888800', 702628302073888800n],
  ['18 rounded digits as a string', '"702628302073888800"', 702628302073888800n],
  ['2^53, which is exact', '9007199254740992', 2n ** 53n],
  ['2^53 + 2, which is exact or rounded', '9007199254740994', 2n ** 53n + 2n],
  ['one', '1', 1n],
  ['zero', '0', undefined],
  ['zero as a string', '"0"', undefined],
  ['an empty string', '""', undefined],
  ['null', 'null', undefined],
  ['negative', '-5', 'rejected'],
  ['negative zero', '-0', 'rejected'],
  ['a fraction', '1.5', 'rejected'],
  ['an integer as a float', '590480926522704171.0', 'rejected'],
  ['an exponent', '5.90480926522704171e17', 'rejected'],
  ['an integer with an exponent', '1e3', 'rejected'],
  ['digits with a leading zero', '"007"', 'rejected'],
  ['digits with spaces', '" 7 "', 'rejected'],
  ['hex', '"0x10"', 'rejected'],
  ['letters', '"abc"', 'rejected'],
  ['a letter after a digit', '"7a"', 'rejected'],
  ['a letter before a digit', '"a7"', 'rejected'],
  ['white space', '" "', 'rejected'],
  ['true', 'true', 'rejected', 'a boolean'],
  ['an array', '[1]', 'rejected', 'an array'],
  ['an object', '{"id":1}', 'rejected', 'an object'],
  ['41 digits', '1'.repeat(41), 'rejected', `${'1'.repeat(40)}…`],
  ['41 letters', `"${'a'.repeat(41)}"`, 'rejected', `"${'a'.repeat(40)}…"`],
  ['a line break', '"1\\n"', 'rejected'],
];

const rounded = (json: string) =>
  `orderId ${json} looks rounded: JSON.parse loses the last digits of an id; take them from the text of the answer`;
const orderIdCases = orderIds.map(
  ([name, json, stored, quoted]): Case => ({
    name: `orderId: ${name}`,
    signed: raw(jsonOf(aiLog).replace('590480926522704171', json)),
    ...(stored === 'rejected'
      ? {
          status: 400,
          code: '40020',
          msg: `Parameter orderId is invalid: it must be an integer from 0 to 9223372036854775807 without fraction or exponent, or the same digits as a string, received ${quoted ?? json}`,
        }
      : {
          ...ok,
          entry: { orderId: stored },
          ...(json === '""' && { warning: 'orderId is empty: the log names no order' }),
          ...(/rounded/.test(name) && { warning: rounded(json.replaceAll('"', '')) }),
        }),
  }),
);

const absent: Case = { name: 'orderId: absent', signed: without('orderId'), ...ok, entry: { orderId: undefined } };

const otherNames: Case = {
  name: 'orderId: other names of it are none',
  signed: body({ orderId: undefined, order_id: 7, orderID: 8 }),
  ...ok,
  entry: { orderId: undefined },
};

/** Uploads that fail two checks. The first check decides the response. */
// biome-ignore format: one case a line
const orderCases: Case[] = [
  { name: 'ACCESS-KEY before ACCESS-SIGN', sent: (u) => withHeader(withHeader(u, 'ACCESS-KEY'), 'ACCESS-SIGN'), status: 401, code: '40001' },
  { name: 'ACCESS-SIGN before ACCESS-TIMESTAMP', sent: (u) => withHeader(withHeader(u, 'ACCESS-SIGN'), 'ACCESS-TIMESTAMP'), status: 401, code: '40002' },
  { name: 'ACCESS-TIMESTAMP before ACCESS-PASSPHRASE', sent: (u) => withHeader(withHeader(u, 'ACCESS-TIMESTAMP'), 'ACCESS-PASSPHRASE'), status: 401, code: '40003' },
  { name: 'ACCESS-PASSPHRASE before a query', sent: (u) => ({ ...withHeader(u, 'ACCESS-PASSPHRASE'), query: 'a=1' }), status: 401, code: '40011' },
  { name: 'a query before locale', sent: (u) => ({ ...withHeader(u, 'locale'), query: 'a=1' }), status: 400, code: '40017', msg: noQuery },
  { name: 'a query before the key and the signature', sent: (u) => ({ ...withHeader(withHeader(u, 'ACCESS-KEY', 'ailog_unknown'), 'ACCESS-SIGN', 'wrong'), query: 'a=1' }), status: 400, code: '40017', msg: noQuery },
  { name: 'ACCESS-PASSPHRASE before locale', sent: (u) => withHeader(withHeader(u, 'ACCESS-PASSPHRASE'), 'locale'), status: 401, code: '40011' },
  { name: 'locale before Content-Type', sent: (u) => withHeader(withHeader(u, 'locale'), 'Content-Type'), status: 400, code: '40017' },
  { name: 'Content-Type before the body size', signed: raw(Buffer.alloc(1024 * 1024 + 1)), sent: header('Content-Type', 'text/plain'), status: 415, code: '40007' },
  { name: 'the body size before the format of the timestamp', signed: { body: Buffer.alloc(1024 * 1024 + 1), timestamp: () => 'now' }, status: 413, code: '413' },
  { name: 'the age of the timestamp before the key', signed: clock(-45), sent: header('ACCESS-KEY', 'ailog_unknown'), status: 401, code: '40008' },
  { name: 'the key before the signature', sent: (u) => withHeader(withHeader(u, 'ACCESS-KEY', 'ailog_unknown'), 'ACCESS-SIGN', 'wrong'), status: 401, code: '40006' },
  { name: 'the signature before the passphrase', sent: (u) => withHeader(withHeader(u, 'ACCESS-SIGN', 'wrong'), 'ACCESS-PASSPHRASE', 'wrong'), status: 401, code: '40009' },
  { name: 'the passphrase before the allowlist', team: { status: null }, sent: header('ACCESS-PASSPHRASE', 'wrong'), status: 401, code: '40012' },
  { name: 'the allowlist before the JSON', team: { status: null }, signed: raw('{'), status: 403, code: '40022' },
];

/** The contract: every check of an upload in the order of the pipeline, and every rule of a field. */
export const cases: Case[] = [
  { name: 'an unchanged upload', ...ok, entry: { orderId: aiLog.orderId, query: undefined } },
  ...headerCases,
  ...accessCases,
  ...bodyCases,
  ...orderCases,
  ...orderIdCases,
  absent,
  otherNames,
];
