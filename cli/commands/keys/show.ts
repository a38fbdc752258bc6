import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { apiKeysEditor, describeKey, readKey } from '../../store/tables/apiKeysEditor.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

/** Finds the key that begins with a text. @throws Failure if there is none, or several */
async function findKey(target: Target, start: string): Promise<ApiKey> {
  const apiKeys = apiKeysEditor(target);
  const key = await apiKeys.get(start);
  if (key) return key;
  const found = (await Array.fromAsync(apiKeys.all())).filter(({ accessKey }) => accessKey.startsWith(start));
  const [first, second] = found;
  if (!first) return readKey(target, start);
  if (!second) return first;
  const such = `such as ${first.accessKey} and ${second.accessKey}`;
  throw new Failure('usage', `${found.length} keys begin with ${start}, ${such}.`, { advice: 'Give more of the key.' });
}

export default (terminal: Terminal) =>
  targetCommand('show', {
    summary: 'Show a key and its history: who changed it, when and why. Never shows secrets.',
    examples: [
      ['keys show ailog_5f0c…', 'the key, its earlier credentials and its history'],
      ['keys show ailog_5f0c… --json', 'the same, as JSON'],
    ],
  })
    .argument('<key>', 'the access key, or the start of it')
    .action(async (accessKey, { json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const key = await findKey(target, accessKey.replace(/(…|\.\.\.)$/, ''));
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
          { wraps: true },
        );
      }),
    );
