/** The `ailog` that organisers hand out to teams: commands that need no tables. `npm run pack:cli` builds it. */
import packageJson from '../../package.json' with { type: 'json' };
import { runProcess } from '../shell/terminal/program.ts';

await runProcess({
  version: packageJson.version,
  summary: 'Upload AI logs, find out why uploads are rejected, and verify receipts.',
  groups: { tlog: { for: 'Operators and auditors', summary: 'The transparency log.' } },
  commands: {
    upload: () => import('../commands/upload.ts'),
    sign: () => import('../commands/sign.ts'),
    doctor: () => import('../commands/doctor.ts'),
    verify: () => import('../commands/verify.ts'),
    'tlog monitor': () => import('../commands/tlog/monitor.ts'),
    'tlog copy': () => import('../commands/tlog/copy.ts'),
  },
});
