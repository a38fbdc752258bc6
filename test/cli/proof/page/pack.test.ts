import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { packVerifyPage } from '../../../../cli/proof/page/pack.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const sha256 = (part: string, encoding: 'base64' | 'hex') => createHash('sha256').update(part).digest(encoding);

/** Builds a page, and returns its parts. */
async function pack(isOnline: boolean) {
  const packed = await packVerifyPage(temporaryFolder(), isOnline);
  const text = readFileSync(packed.path, 'utf8');
  const [policy = '', style = '', script = ''] = [
    /Policy" content="(.*?)"/,
    /<style>(.*?)<\/style>/s,
    /<script.*?>(.*?)<\/script>/s,
  ].map((part) => part.exec(text)?.[1]);
  return { packed, text, policy, style, script };
}

const [offline, online] = await Promise.all([pack(false), pack(true)]);
const pages = [
  ['ailog-verify.html', offline],
  ['ailog-verify-online.html', online],
] as const;

test.each(pages)(
  '%s: the same checkout gives the same bytes, of which the build knows the digest',
  async (name, page) => {
    const { packed, text } = page;
    expect(basename(packed.path)).toBe(name);
    expect(await packVerifyPage(temporaryFolder(), page === online)).toEqual({ ...packed, path: expect.any(String) });
    expect([packed.bytes, packed.sha256]).toEqual([Buffer.byteLength(text), sha256(text, 'hex')]);
  },
);

test.each(pages)('%s allows nothing but its own script and style, and the online page a log', (_name, page) => {
  const { policy, script, style, text } = page;
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${sha256(script, 'base64')}'`,
    `style-src 'sha256-${sha256(style, 'base64')}'`,
    ...(page === online ? ['connect-src https: http://127.0.0.1:* http://localhost:*'] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  expect(text.match(/<(script|style)\b/g)).toEqual(['<style', '<script']);
});

test.each(pages)('the script of %s has no SDK, and no way to turn text into elements', (_name, { script }) => {
  expect(script.length).toBeGreaterThan(100_000);
  expect(script).not.toMatch(
    /@aws-sdk|innerHTML|insertAdjacentHTML|document\.write|XMLHttpRequest|sendBeacon|WebSocket/,
  );
});

test('only the online page can send a request, at one place', () => {
  expect(offline.script).not.toMatch(/\bfetch\b|connect-src/);
  expect(online.script.match(/\bfetch\(/g)).toHaveLength(1);
});
