import { hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readWhole, SMALL_FILE_BYTES } from '../../shell/files/readWhole.ts';
import { makeFolder, replaceFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { isJson } from '../../shell/text/json.ts';
import type { Target } from '../../store/targets/target.ts';
import { changeDraft, type Draft, isDraftChange } from './draft.ts';

export type Drafts = ReturnType<typeof openDrafts>;

/** Opens the drafts of the caller: files beside the rows of the target. They outlive the page, whose origin changes. */
export function openDrafts({ rowsFolder, caller }: Pick<Target, 'rowsFolder' | 'caller'>) {
  let found: string | undefined;
  const folderOf = async () => {
    found ??= join(`${rowsFolder}.drafts`, hash('sha256', (await caller()).id).slice(0, 32));
    return found;
  };
  const read = (path: string): Draft => {
    if (!existsSync(path)) return {};
    const text = String(readWhole(path));
    const draft: unknown = isJson(text) ? JSON.parse(text) : undefined;
    if (isDraftChange(draft)) return changeDraft({}, draft);
    throw new Failure('usage', `${path} is no draft.`, { advice: 'Delete it, then load the page again.' });
  };
  return {
    async all(): Promise<Readonly<Record<string, Draft>>> {
      const folder = await folderOf();
      const names = existsSync(folder) ? readdirSync(folder) : [];
      const uids = names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.slice(1) ?? []);
      return Object.fromEntries(uids.map((uid) => [uid, read(join(folder, `${uid}.json`))]));
    },
    /** An empty draft goes. */
    async change(uid: string, change: Parameters<typeof changeDraft>[1]): Promise<void> {
      const folder = await folderOf();
      const path = join(folder, `${uid}.json`);
      const text = JSON.stringify(changeDraft(read(path), change));
      if (Buffer.byteLength(text) > SMALL_FILE_BYTES) throw new Failure('usage', 'The draft is longer than 1 MiB.');
      makeFolder(folder);
      if (text === '{}') rmSync(path, { force: true });
      else replaceFile(path, text);
    },
  };
}
