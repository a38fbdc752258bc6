/** Drafts of verdicts. The server keeps them, so that they outlive the page, the browser and the console. */
import { changeDraft, type Draft, type DraftChange } from '../server/draft.ts';
import { type Problem, readDrafts, send } from './answers.ts';
import { useRendering } from './events.ts';

/** The pause before what could not be saved is sent again, in milliseconds. */
const AGAIN_MS = 1000;

let drafts: ReadonlyMap<string, Draft> = new Map();
/** The changes that the server does not have yet, by team. */
const unsaved = new Map<string, DraftChange>();
/** The changes that were made and that were saved: what was read before one of them may lack it. */
let steps = 0;
let problem: Problem | undefined;
let isSaving = false;

const changed = () => void dispatchEvent(new Event('draft'));

/** Reads the drafts. What is not saved yet stays. */
export async function loadDrafts(): Promise<void> {
  const before = steps;
  try {
    const read = new Map(Object.entries(await readDrafts()));
    if (steps !== before) return loadDrafts();
    for (const [uid, change] of unsaved) read.set(uid, changeDraft(read.get(uid) ?? {}, change));
    drafts = read;
    if (unsaved.size === 0) problem = undefined;
  } catch (failed) {
    problem = failed as Problem;
  }
  changed();
}

/** Sends what is not saved, team by team. A team whose draft is refused keeps no other from being saved. */
async function save(): Promise<void> {
  if (isSaving) return;
  isSaving = true;
  let failure: Problem | undefined;
  for (const [uid, change] of unsaved) {
    try {
      await send('saveDraft', { uid, change });
      steps += 1;
      if (unsaved.get(uid) === change) unsaved.delete(uid);
    } catch (failed) {
      failure = failed as Problem;
    }
  }
  isSaving = false;
  if (failure !== problem) {
    problem = failure;
    changed();
  }
  if (unsaved.size > 0) setTimeout(save, failure ? AGAIN_MS : 0);
}

const read = (uid: string): Draft => drafts.get(uid) ?? {};

function change(uid: string, change: DraftChange): void {
  // An undefined value would not be sent.
  const given = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value ?? null]));
  unsaved.set(uid, { ...unsaved.get(uid), ...given });
  drafts = new Map(drafts).set(uid, changeDraft(read(uid), change));
  steps += 1;
  changed();
  void save();
}

/** Ends a draft, unless it has been changed since. */
export function endDraft(uid: string, recorded: Draft): void {
  if (JSON.stringify(read(uid)) !== JSON.stringify(recorded)) return;
  change(uid, Object.fromEntries(Object.keys(recorded).map((name) => [name, undefined])));
}

// The browser asks before it leaves a page with unsaved changes.
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

// A page that is left anyway sends its unsaved changes. Browsers send up to 64 KiB of them.
addEventListener('pagehide', () => {
  for (const [uid, change] of unsaved) send('saveDraft', { uid, change }, { keepalive: true }).catch(() => {});
});

/** Returns the drafts, and renders again when one changes. `problem`: why they cannot be read or saved */
export function useDrafts() {
  useRendering('draft');
  const uids = [...drafts].flatMap(([uid, draft]) => (Object.keys(draft).length > 0 ? [uid] : []));
  return { read, change, uids, problem };
}
