import { runCommand } from './command.ts';

process.exitCode = await runCommand('bench', {
  parser: {
    summary: 'diff parser: MB of diff per CPU-second, parse alone and with a walk over the lines',
    load: () => import('./parser.ts'),
  },
  gates: {
    summary: 'gate 1 with parse and gate 2 with its child: cost, linearity, many rules',
    load: () => import('./gates.ts'),
  },
  'syntax-files': {
    summary: 'whole files in gate 2 beside another tree: CPU and memory (--repo, several; --data)',
    load: () => import('./syntax-files.ts'),
  },
  noise: {
    summary: 'what gates 1 and 2 find in the commits of histories (--repo, several; --list)',
    load: () => import('./noise.ts'),
  },
  labels: {
    summary: 'draws hits of generic secrets for people to label (--repo, several; --out, --seed)',
    load: () => import('./labels.ts'),
  },
  'diff-text': {
    summary:
      'gate 1 over files of `git log -p` as one cold process, beside other scanners (--data)',
    load: () => import('./diff-text.ts'),
  },
  fidelity: {
    summary:
      'fragments of gate 2 against whole files: lines in a tree, calls found (--repo, several)',
    load: () => import('./fidelity.ts'),
  },
  rpc: {
    summary: 'round trips over each carrier between threads and processes',
    load: () => import('./rpc.ts'),
  },
  store: {
    summary: 'durable inserts beside raw SQLite and MongoDB batches, and reads (--only NAME)',
    load: () => import('./store.ts'),
  },
  analyze: {
    summary: 'POST analyze over HTTP, durable: 10 KB diffs without JS/TS',
    load: () => import('./analyze.ts'),
  },
  budget: {
    summary: 'CPU by thread of an analyze and a webhook beside bare; fails above (--data DIST)',
    load: () => import('./budget.ts'),
  },
  reads: {
    summary: 'prod-check, rfc/<id> and rfcs by token and JWT, alone and during an analyze load',
    load: () => import('./reads.ts'),
  },
  pages: {
    summary: 'what 100 open pages ask, and what a question costs beside a prod-check',
    load: () => import('./pages.ts'),
  },
  dashboard: {
    summary:
      'the dashboard over 10^5 RFCs in Chromium: first paint, longest tasks (--data, --count)',
    load: () => import('./dashboard.ts'),
  },
  storm: {
    summary: 'a storm of signed webhooks with real repositories (--count, --connections)',
    load: () => import('./storm.ts'),
  },
  monorepo: {
    summary: 'pushes to a monorepo of 200 components beside the same without them (--count)',
    load: () => import('./monorepo.ts'),
  },
  large: {
    summary: 'pushes to 300,000 files and 200,000 commits beside 2,000 (--count, --data, --repo)',
    load: () => import('./large.ts'),
  },
  daemons: {
    summary: 'what 1, 2 and 4 daemons of a share of a core judge; kill -9; gate 3 (--count)',
    load: () => import('./daemons.ts'),
  },
  size: {
    summary: 'what a push costs by the size of its diff: the coefficients of cra size (--count)',
    load: () => import('./size.ts'),
  },
  million: {
    summary: 'reads of the store at 10^6 records beside 10^4 (--count, --only SQLite, --data URL)',
    load: () => import('./million.ts'),
  },
  facets: {
    summary:
      'facets and searches of the queue at 10^6 records beside a prod-check (--count, --only)',
    load: () => import('./facets.ts'),
  },
  scrape: {
    summary: 'metrics of the worst case, beside prom-client alone with as many series',
    load: () => import('./scrape.ts'),
  },
  'audit-verify': {
    summary: 'verifying and exporting the audit trail: entries and MB per CPU-second',
    load: () => import('./audit-verify.ts'),
  },
  twins: {
    summary: 'weak code beside its safe twin: what gate 2 finds of either (--data; --list)',
    load: () => import('./twins.ts'),
  },
  'calibrate-risk': {
    summary: 'curves of groups over labelled changes (--data), as the service fits them',
    load: () => import('./calibrate-risk.ts'),
  },
  'train-risk': {
    summary: 'trains and judges the change model on labelled changes (--data)',
    load: () => import('./train-risk.ts'),
  },
  'risk-parity': {
    summary: 'features of diffs beside the expected ones (--data)',
    load: () => import('./risk-parity.ts'),
  },
  replay: {
    summary: 'the real commits of a repository (--repo) by `cra replay`',
    load: () => import('./replay.ts'),
  },
});
