#!/usr/bin/env node
/**
 * The `ailog` command line. Each command is a file whose path is its words, and is listed here; docs/cli.md says how to
 * add one.
 */
import packageJson from '../package.json' with { type: 'json' };
import { type Program, runProcess } from './shell/terminal/program.ts';

/** All commands of `ailog`, in the order of its help. */
export const program: Program = {
  version: packageJson.version,
  summary: 'The command line of AI log upload, for admins, reviewers, operators and teams.',
  groups: {
    allowlist: { for: 'Admins', summary: 'The UIDs that may upload.' },
    keys: { for: 'Admins', summary: 'The API keys of teams.' },
    logs: { for: 'Reviewers', summary: 'Stored AI logs.' },
    reviews: { for: 'Reviewers', summary: 'Verdicts about teams.' },
    data: { for: 'Reviewers', summary: 'Feature rows of entries.' },
    ops: { for: 'Operators', summary: 'Health, rehearsal and recovery of deployments.' },
    tlog: { for: 'Operators and auditors', summary: 'The transparency log.' },
  },
  commands: {
    'allowlist add': () => import('./commands/allowlist/add.ts'),
    'allowlist suspend': () => import('./commands/allowlist/suspend.ts'),
    'allowlist disqualify': () => import('./commands/allowlist/disqualify.ts'),
    'allowlist remove': () => import('./commands/allowlist/remove.ts'),
    'allowlist list': () => import('./commands/allowlist/list.ts'),
    'allowlist show': () => import('./commands/allowlist/show.ts'),
    'allowlist import': () => import('./commands/allowlist/import.ts'),
    'keys issue': () => import('./commands/keys/issue.ts'),
    'keys rotate': () => import('./commands/keys/rotate.ts'),
    'keys revoke': () => import('./commands/keys/revoke.ts'),
    'keys list': () => import('./commands/keys/list.ts'),
    'logs list': () => import('./commands/logs/list.ts'),
    'logs show': () => import('./commands/logs/show.ts'),
    'logs verify': () => import('./commands/logs/verify.ts'),
    'logs export': () => import('./commands/logs/export.ts'),
    'reviews add': () => import('./commands/reviews/add.ts'),
    'reviews list': () => import('./commands/reviews/list.ts'),
    'data sync': () => import('./commands/data/sync.ts'),
    'data backfill': () => import('./commands/data/backfill.ts'),
    report: () => import('./commands/report.ts'),
    console: () => import('./commands/console.ts'),
    statement: () => import('./commands/statement.ts'),
    'ops check': () => import('./commands/ops/check.ts'),
    'ops rehearse': () => import('./commands/ops/rehearse.ts'),
    'ops restore': () => import('./commands/ops/restore.ts'),
    'tlog status': () => import('./commands/tlog/status.ts'),
    'tlog export-policy': () => import('./commands/tlog/export-policy.ts'),
    'tlog audit': () => import('./commands/tlog/audit.ts'),
    'tlog follow': () => import('./commands/tlog/follow.ts'),
    upload: () => import('./commands/upload.ts'),
    sign: () => import('./commands/sign.ts'),
    doctor: () => import('./commands/doctor.ts'),
    verify: () => import('./commands/verify.ts'),
  },
};

if (import.meta.main) await runProcess(program);
