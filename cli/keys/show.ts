import { describeKey, readKey } from '../tables/readKey.ts';
import { withTarget } from '../target/target.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

export default (terminal: Terminal) =>
  targetCommand('show', {
    summary: 'Show a key and its history: who changed it, when and why. Never shows secrets.',
    examples: [
      ['keys show ailog_5f0c…', 'the key, its earlier credentials and its history'],
      ['keys show ailog_5f0c… --json', 'the same, as JSON'],
    ],
  })
    .argument('<key>', 'the access key')
    .action(async (accessKey, { json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const key = await readKey(target, accessKey);
        const described = describeKey(key, await target.now());
        const { history = [] } = key;
        const earlier = (key.earlier ?? []).map(({ replacedAt, validUntil }) => ({ replacedAt, validUntil }));
        if (json) return terminal.json({ ...described, earlier, history });
        await terminal.facts(described);
        if (earlier.length > 0) {
          await terminal.print('');
          await terminal.table(
            earlier.map(({ replacedAt, validUntil }) => ({
              'earlier credentials, replaced': replacedAt,
              'valid until': validUntil ?? replacedAt,
            })),
          );
        }
        if (history.length === 0) return;
        await terminal.print('');
        await terminal.table(
          history.map(({ at, by, change, from, to, why }) => ({ when: at, by, change, from, to, why })),
        );
      }),
    );
