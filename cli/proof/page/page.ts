/** The page without access to the network: docs/decisions/two-pages.md says why there are two. */
import { startPage } from './startPage.ts';

await startPage();
