import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { isUid } from '../../shell/text/uid.ts';
import type { NamedOrders } from './openView.ts';
import type { Console } from './state.ts';

/** Returns what the page shows of the console itself. It is read every few seconds. */
export const readStatus = async ({ target, views, canWrite, targetOptions }: Console) => ({
  target: target.name,
  canWrite,
  targetOptions,
  ...views.state(),
});

export async function syncNow({ views }: Console) {
  views.syncNow(true);
  return {};
}

function textsIn(body: unknown) {
  const { name, text, uid } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const orNone = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { name: orNone(name), text: orNone(text), uid: orNone(uid) };
}

/** Tells other lists from one. The exports of two accounts often have one name. */
const isOther = (one: { name: string | undefined; uid: string | undefined }) => (other: NamedOrders) =>
  other.name !== one.name || other.uid !== one.uid;

/**
 * Adds an order list that was dropped onto the page. Only this process keeps it. @throws Failure as `readLists`
 * @param body `name` and `text` of the file; `uid`: the team, if the list has no UIDs
 */
export async function addOrders({ views }: Console, body: unknown) {
  const { name, text, uid } = textsIn(body);
  if (name === undefined || text === undefined) throw new Failure('usage', 'Give the name and the text of a file.');
  if (uid !== undefined && !isUid(uid)) throw new Failure('usage', 'Give the UID of a team, a decimal number.');
  // The folder is gone if somebody has deleted the rows.
  mkdirSync(views.folder, { recursive: true, mode: 0o700 });
  const path = join(views.folder, `orders-${crypto.randomUUID()}${/\.json$/i.test(name) ? '.json' : '.csv'}`);
  replaceFile(path, text);
  await views.setOrders((before) => [...before.filter(isOther({ name, uid })), { name, path, uid }]);
  return {};
}

/** Leaves an order list out again. @param body its `name`, and its `uid` if it was given one */
export async function removeOrders({ views }: Console, body: unknown) {
  await views.setOrders((before) => before.filter(isOther(textsIn(body))));
  return {};
}
