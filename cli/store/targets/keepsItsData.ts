import { keepsData } from '../../../infra/settings.ts';
import type { OpenedTarget } from './openedTarget.ts';

/**
 * Returns true if the data of a target is not for trying out. Its settings say so, not its name; a deployment whose
 * settings are not known keeps its data.
 */
export const keepsItsData = ({ deployed }: Pick<OpenedTarget, 'deployed'>): boolean =>
  deployed !== undefined && keepsData({ disposable: deployed.settings.disposable === 'true' });
