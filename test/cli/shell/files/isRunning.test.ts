import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isRunning, kill } from '../../../../cli/shell/files/lock.ts';

test('this process is running, and one that has ended is not', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect([isRunning(process.pid), isRunning(pid)]).toEqual([true, false]);
});

test('who kills a process that has ended hears so, and gets no error', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(kill(pid, 'SIGKILL')).toBe(false);
});

test('a process of another user is running', () => {
  // Who is root may signal every process, so another user asks about this one.
  const asked = process.getuid?.() === 0 ? process.pid : 1;
  const source = `${isRunning}; console.log(isRunning(${asked}))`;
  const { stdout } = spawnSync(process.execPath, ['--eval', source], { uid: process.getuid?.() || 65_534 });
  expect(String(stdout)).toBe('true\n');
});
