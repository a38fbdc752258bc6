import type { Api } from '../api/api.ts';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import type { UploadFunction } from '../uploadFunction.ts';

/** The parts of a deployment that are monitored, and the settings that define their normal range. */
export interface Watched {
  readonly settings: Settings;
  readonly upload: UploadFunction;
  readonly api: Api;
  readonly tables: Tables;
}
