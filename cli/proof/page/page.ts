/** The page on which anyone verifies evidence: it takes files, and shows what `ailog verify` says about them. */

import { checkFiles } from './checkFiles.ts';
import { showReport } from './showReport.ts';

const given = new Map<string, File>();

const part = (id: string) => document.getElementById(id) as HTMLElement;

/** The number of the latest verification. An earlier one that ends later shows nothing. */
let latest = 0;

async function add(files: Iterable<File>): Promise<void> {
  latest += 1;
  const own = latest;
  document.body.ariaBusy = 'true';
  part('verdict').replaceChildren('Verifying …');
  const unread: string[] = [];
  for (const file of files) {
    try {
      await file.slice(0, 1).arrayBuffer();
      given.set(file.name, file);
    } catch {
      unread.push(`${file.name} cannot be read. If it is a folder, give the files in it.`);
    }
  }
  const report = await checkFiles(given.values());
  if (own !== latest) return;
  showReport({ ...report, problems: [...unread, ...report.problems] }, part);
  document.body.ariaBusy = 'false';
}

part('unsupported').hidden = true;
const choose = part('choose') as HTMLInputElement;
choose.disabled = false;
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
