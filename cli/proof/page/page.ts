/** The page on which anyone verifies evidence: it takes files, and shows what `ailog verify` says about them. */

import { checkFolder } from './checkFolder.ts';
import { hasEd25519 } from './crypto.ts';
import { folder } from './node.ts';
import { showReport } from './showReport.ts';

/** The bytes of a file that are held in memory: all of the largest result file. Statements are read in pieces. */
const MEMORY_LIMIT_BYTES = 256 * 1024 * 1024;

const part = (id: string) => document.getElementById(id) as HTMLElement;

/** The number of the latest verification. An earlier one that ends later shows nothing. */
let latest = 0;

/** Adds files to the page, in place of earlier ones of their names, and verifies all. */
async function add(files: Iterable<File>): Promise<void> {
  latest += 1;
  const own = latest;
  document.body.ariaBusy = 'true';
  part('verdict').replaceChildren('Verifying …');
  const unread: string[] = [];
  for (const file of files) {
    try {
      const bytes = Buffer.from(await file.slice(0, MEMORY_LIMIT_BYTES).arrayBuffer());
      folder.set(file.name, { file, bytes });
    } catch {
      unread.push(`${file.name} cannot be read. If it is a folder, give the files in it.`);
    }
  }
  const report = await checkFolder(folder.keys());
  if (own !== latest) return;
  showReport({ ...report, problems: [...unread, ...report.problems] }, part);
  document.body.ariaBusy = 'false';
}

part('unsupported').hidden = await hasEd25519();
const choose = part('choose') as HTMLInputElement;
choose.disabled = !part('unsupported').hidden;
if (!choose.disabled) {
  choose.addEventListener('change', () => {
    add([...(choose.files ?? [])]);
    // So that the same file can be chosen again.
    choose.value = '';
  });
  part('again').addEventListener('click', () => location.reload());
  for (const type of ['dragover', 'dragleave', 'drop'] as const) {
    addEventListener(type, (event) => {
      event.preventDefault();
      part('drop').classList.toggle('over', type === 'dragover');
      if (type === 'drop') add([...(event.dataTransfer?.files ?? [])]);
    });
  }
  addEventListener('beforeprint', () => {
    for (const entry of document.querySelectorAll('details')) entry.open = true;
  });
}
