import { runCommand } from '../../bench/command.ts';

process.exitCode = await runCommand('proof', {
  tests: {
    summary:
      'kills, outages in real seconds, two daemons; all cases of what npm test takes some of',
    load: () => import('./tap-run.ts'),
  },
  defects: {
    summary: 'defects put into the code one by one: the test that is named finds each (--only)',
    load: () => import('./defects.ts'),
  },
  'push-recall': {
    summary: 'harmful cases of gate 2 as pushes with a base: each reports what the file has',
    load: () => import('./push-recall.ts'),
  },
  twins: {
    summary: 'own weak code beside its safe twin, constructions by classes (--list)',
    load: () => import('./twins.ts'),
  },
  kill9: {
    summary: 'kill -9 of the daemon during load loses nothing that was answered',
    load: () => import('./kill9.ts'),
  },
  'storm-kill': {
    summary: 'kill -9 in a storm of webhooks: each acknowledged one has one RFC, and a verdict',
    load: () => import('./storm-kill.ts'),
  },
  rolling: {
    summary:
      'a rolling upgrade behind HAProxy in a storm: none lost or doubled (--data DIST: from)',
    load: () => import('./rolling.ts'),
  },
  day: {
    summary:
      'a simulated day of storm with kills, fail-over, full disk and archive at once (--seconds)',
    load: () => import('./day.ts'),
  },
  'pulls-storm': {
    summary: 'kill -9 among 2,000 events of pull requests: one check run a head (--only MongoDB)',
    load: () => import('./pulls-storm.ts'),
  },
  events: {
    summary: '100,000 events through a receiver that fails, hangs, lies and restarts (--only)',
    load: () => import('./events.ts'),
  },
  cosign: {
    summary: 'evidence: cosign verifies it as it is, and refuses 200 tamperings',
    load: () => import('./cosign.ts'),
  },
  'deploy-kills': {
    summary: 'kill -9 among reports of deploys and outcomes: the ledger is right (--only SQLite)',
    load: () => import('./deploy-kills.ts'),
  },
  reverts: {
    summary: 'reverts of histories (--repo, several, --commits) beside labels of PyDriller',
    load: () => import('./reverts.ts'),
  },
  decisions: {
    summary: 'kill -9 among decisions: none is lost, none without its entry (--only SQLite)',
    load: () => import('./decisions.ts'),
  },
  clock: {
    summary: 'the clock steps forth and back (libfaketime): acceptances end then, and only then',
    load: () => import('./clock.ts'),
  },
  'decision-steps': {
    summary: 'kill -9 at each step of a decision, the store alone (--only SQLite)',
    load: () => import('./decision-steps.ts'),
  },
  'mongod-kills': {
    summary: 'kill -9 of mongod among decisions, alone and as primary of three (--only alone)',
    load: () => import('./mongod-kills.ts'),
  },
  races: {
    summary: '50 overrides of one RFC at once, again and again: one is made (--only MongoDB)',
    load: () => import('./races.ts'),
  },
  'disk-full': {
    summary: 'a full disk under each store (mounts a tmpfs): refusals, reads, recovery',
    load: () => import('./disk-full.ts'),
  },
  gitea: {
    summary: 'decisions carried through the four merge styles of a real Gitea (builds it with Go)',
    load: () => import('./gitea.ts'),
  },
  'gitea-pulls': {
    summary: 'pull requests of a real Gitea: review at the line, edited, protected, overridden',
    load: () => import('./gitea-pulls.ts'),
  },
  components: {
    summary:
      'components beside `git filter-repo` of random histories (--count, --seed, --only MongoDB)',
    load: () => import('./components.ts'),
  },
  'pre-receive': {
    summary: 'pushes through http-backend, sshd and a real Gitea with the hook (--only sshd)',
    load: () => import('./pre-receive.ts'),
  },
  'crash-forms': {
    summary: 'text that kills the parser costs nobody else a request',
    load: () => import('./crash-forms.ts'),
  },
  reports: {
    summary:
      'SARIF of real tools beside reviewdog, hostile and required reports (--only tools, semgrep)',
    load: () => import('./reports.ts'),
  },
  lockfiles: {
    summary:
      'lockfiles of npm, pnpm, yarn, pip-compile, uv, go, cargo: attacks are found; noise (--repo)',
    load: () => import('./lockfiles.ts'),
  },
  'report-kills': {
    summary: 'kill -9 while changes wait for reports, at receipt, at the deadline (--only SQLite)',
    load: () => import('./report-kills.ts'),
  },
  verdaccio: {
    summary: 'a real registry of npm: published lately, deprecated, another publisher, absent',
    load: () => import('./verdaccio.ts'),
  },
  histories: {
    summary: 'whole histories (--repo, several): 0 answers of 5xx, 0 stuck, counts equal numstat',
    load: () => import('./histories.ts'),
  },
  'same-verdict': {
    summary: 'commits of histories (--repo, --count 1,000) at load 0 and 16: equal findings',
    load: () => import('./same-verdict.ts'),
  },
  'child-deaths': {
    summary: 'AST children killed at random during load: every request is answered',
    load: () => import('./child-deaths.ts'),
  },
  memory: {
    summary: 'an hour of full load (--count minutes): memory stays below its bound, and flat',
    load: () => import('./memory.ts'),
  },
  fuzz: {
    summary: 'hostile HTTP and JSON for 600 s (--count: others): 0 crashes, 0 answers of 5xx',
    load: () => import('./fuzz.ts'),
  },
  systemd: {
    summary: 'units and package on a Debian 12 in systemd-nspawn (root; --only unit, daemons)',
    load: () => import('./systemd.ts'),
  },
  release: {
    summary: 'made twice, verified, installed, upgraded under load, removed (root; --only life)',
    load: () => import('./release.ts'),
  },
  'usage-sums': {
    summary: 'a million calls of LLMs, summed by each store to the nano-dollar (--only SQLite)',
    load: () => import('./usage-sums.ts'),
  },
  'store-copy': {
    summary: '100,000 RFCs (--count) to MongoDB and back, killed 20 times each way: equal by hash',
    load: () => import('./store-copy.ts'),
  },
  'llm-kills': {
    summary: '110 kills -9 (--count) among LLM reviews: the ledger beside the bill, to the nano',
    load: () => import('./llm/kills.ts'),
  },
  'llm-hostile': {
    summary:
      '1,000 answers (--count) of a hostile model: nothing passes unread, nothing is cleared',
    load: () => import('./llm/hostile.ts'),
  },
  'llm-budget': {
    summary: '1,000 RFCs (--count) to two daemons with a budget for 300: it is never exceeded',
    load: () => import('./llm/budget.ts'),
  },
  'llm-drafts': {
    summary: '1,000 DRAFTs (--count) with a vendor of 2 s and 32 places: fair over tenants',
    load: () => import('./llm/drafts.ts'),
  },
  'llm-faults': {
    summary: 'each fault of a vendor: its verdict, its deadline, and what others notice',
    load: () => import('./llm/faults.ts'),
  },
  'llm-cpu': {
    summary: 'CPU of a change of 32 KB in gate 3 beside gates 1 and 2',
    load: () => import('./llm/cpu.ts'),
  },
  schemathesis: {
    summary: 'the served OpenAPI document against the service, 300 s (--count: others): 0 failures',
    load: () => import('./schemathesis.ts'),
  },
});
