import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { packVerifyPage } from '../../../../cli/proof/page/pack.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const sha256 = (part: string, encoding: 'base64' | 'hex') => createHash('sha256').update(part).digest(encoding);

const packed = await packVerifyPage(temporaryFolder());
const text = readFileSync(packed.path, 'utf8');
const [policy = '', style = '', script = ''] = [
  /Policy" content="(.*?)"/,
  /<style>(.*?)<\/style>/s,
  /<script.*?>(.*?)<\/script>/s,
].map((part) => part.exec(text)?.[1]);

test('the same checkout gives the same bytes, of which the build knows the digest', async () => {
  expect(basename(packed.path)).toBe('ailog-verify.html');
  expect(await packVerifyPage(temporaryFolder())).toEqual({ ...packed, path: expect.any(String) });
  expect([packed.bytes, packed.sha256]).toEqual([Buffer.byteLength(text), sha256(text, 'hex')]);
});

test('the page allows nothing but its own script and style', () => {
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${sha256(script, 'base64')}'`,
    `style-src 'sha256-${sha256(style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  expect(text.match(/<(script|style)\b/g)).toEqual(['<style', '<script']);
});

test('its script has no SDK, no way to turn text into elements, and none to send a request', () => {
  expect(script.length).toBeGreaterThan(100_000);
  expect(script).not.toMatch(/@aws-sdk|@smithy|innerHTML|insertAdjacentHTML|document\.write/);
  expect(script).not.toMatch(/\bfetch\b|connect-src|XMLHttpRequest|sendBeacon|WebSocket/);
});
