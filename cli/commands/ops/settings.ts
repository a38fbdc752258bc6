import { blockOf } from '../../../infra/readSettings.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('settings', {
    summary: 'Print the settings of a deployment as cdk.json needs them: those that have not their usual value.',
    examples: [['ops settings --stack AiLogUpload-prod', 'the block "stages" for the context of cdk.json']],
  }).action(({ json: _, ...where }) =>
    withTarget(terminal, where, async ({ name, deployed }) => {
      const { stage, ...others } = deployed?.settings ?? {};
      if (stage === undefined) {
        const advice = deployed ? 'Deploy this version once.' : 'Name a deployment with --stack.';
        throw new Failure('usage', `${name} has no settings of a deployment.`, { advice });
      }
      await terminal.print(JSON.stringify({ stages: { [stage]: blockOf({ stage, ...others }) } }, undefined, 2));
      terminal.note('This belongs into "context" of cdk.json. ailog ops check says whether it is there.');
    }),
  );
