import { keepsData } from '../../../infra/settings.ts';
import type { OpenedTarget } from './openedTarget.ts';

/** Returns true if the data of a target is not for trying out: by its settings, and if these are not known. */
export const keepsItsData = ({ deployed }: Pick<OpenedTarget, 'deployed'>): boolean =>
  deployed !== undefined && keepsData({ disposable: deployed.settings.disposable === 'true' });
