import { createHash } from 'node:crypto';
import { CraError } from '../../src/model/errors.ts';
import type { Finding, Severity } from '../../src/model/finding.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { Decision, RfcRecord } from '../../src/model/records.ts';
import type { RfcStatus } from '../../src/model/rfc.ts';
import { newRfcId } from '../../src/model/rfc.ts';
import { recordText, sampleFinding, sampleRecord } from '../../test/store/fixtures/records.ts';
import { keepInFlight } from '../harness.ts';
import { createRandom, type Random } from '../random.ts';
import type { OpenedDriver } from '../store.ts';
import { SQLITE } from './sqlite.ts';

const DAYS = 90;
const DAY_MS = 86_400_000;
const IN_FLIGHT = 200;
const PROGRESS_EVERY = 100_000;

/** Fills the empty store of a data directory with as many RFCs as `count`. */
export async function fillHistory(folder: string, count: number): Promise<void> {
  const { store, close } = await SQLITE.open(folder);
  await insertHistory(store, count);
  await close();
}

/**
 * Inserts as many RFCs as `count`: of 60 repositories and 12 people, over 90 days until now, with
 * findings, components and decisions.
 */
export async function insertHistory(
  store: OpenedDriver['store'],
  count: number,
  progress: (inserted: number) => void = () => undefined,
): Promise<void> {
  const random = createRandom(39);
  const startMs = Date.now() - DAYS * DAY_MS;
  let begun = 0;
  const insert = async () => {
    const atMs = startMs + (begun / count) * DAYS * DAY_MS;
    begun += 1;
    if (begun % PROGRESS_EVERY === 0) progress(begun);
    const record = recordText(recordAt(atMs, random));
    await store.insertRfc({ record, diff: null }).catch(unlessLate);
  };
  await keepInFlight(IN_FLIGHT, () => begun >= count, insert);
}

/** On a busy machine an answer may be late: one record more or less changes no figure. */
function unlessLate(thrown: unknown): void {
  if (!(thrown instanceof CraError && thrown.code === 'DEADLINE_EXCEEDED')) throw thrown;
}

function recordAt(atMs: number, random: Random): RfcRecord {
  const status = statusOf(random.next());
  const created_at = new Date(atMs).toISOString();
  const rfc_id = newRfcId(atMs);
  const found = status === 'PASSED' || status === 'APPROVED' ? random.between(0, 2) : 1;
  const isGrave = status !== 'PASSED' && status !== 'APPROVED';
  const findings = Array.from({ length: found * random.between(1, 4) }, (_, index) =>
    findingOf(isGrave && index === 0 ? random.between(0, 5) : random.between(5, 9), index, random),
  );
  const findingsRisk = isGrave ? random.between(30, 88) : 0;
  const changeRisk = random.between(1, 12);
  const sample = sampleRecord({ rfc_id });
  const decisions = decisionsOf(status, atMs, random);
  // Few repositories have most of the changes.
  const repo = REPOSITORIES[Math.floor(random.next() ** 2 * REPOSITORIES.length)] ?? 'acme/shop';
  return {
    ...sample,
    created_at,
    updated_at: created_at,
    repo_name: repo,
    branch: random.pick(BRANCHES),
    commit_message: `${random.pick(VERBS)} ${random.pick(OBJECTS)}`,
    commit_sha: createHash('sha1').update(rfc_id).digest('hex'),
    overall_status: status,
    risk_score: changeRisk + findingsRisk,
    score: { ...sample.score, change_risk: changeRisk, findings_risk: findingsRisk },
    submitted_by: { ...sample.submitted_by, ...random.pick(PEOPLE) },
    gates: {
      ...sample.gates,
      risk: { ...sample.gates.risk, status: isGrave ? 'fail' : 'pass', findings },
    },
    override_history: decisions,
    override: decisions.find(({ action }) => action !== 'reject') ?? null,
    stats: { files: random.between(1, 9), additions: 120, deletions: 40, bytes: 5_000 },
    ...(repo === REPOSITORIES[0] && {
      component_map: 'bench',
      components: [{ ...COMPONENT, id: random.pick(['web', 'api', 'jobs']), status }],
    }),
  } as RfcRecord;
}

function statusOf(chance: number): RfcStatus {
  const shares: [RfcStatus, number][] = [
    ['PASSED', 0.82],
    ['OVERRIDDEN', 0.92],
    ['BLOCKED', 0.95],
    ['SUPERSEDED', 0.98],
    ['REJECTED', 0.99],
    ['APPROVED', 1],
  ];
  return shares.find(([, below]) => chance < below)?.[0] ?? 'PASSED';
}

function findingOf(kind: number, index: number, random: Random): Finding {
  const [id, severity, title, file] = FINDINGS[kind] ?? FINDINGS[0];
  return {
    ...sampleFinding(index + 1),
    id,
    severity,
    title,
    message: title,
    file,
    line: random.between(1, 400),
    fingerprint: createHash('sha256')
      .update(`${id} ${random.between(0, 5_000)}`)
      .digest('hex'),
  };
}

function decisionsOf(status: RfcStatus, atMs: number, random: Random): Decision[] {
  const action = ACTIONS[status];
  if (action === undefined) return [];
  const by = random.pick(PEOPLE);
  const principal: Principal = { ...by, credential: 'oidc', role: 'admin', tenant_id: 'default' };
  const at = new Date(atMs + random.next() ** 3 * DAY_MS).toISOString();
  const reason = random.pick(REASONS);
  return [
    {
      decision_id: `D-${random.between(0, 1e9)}`,
      action,
      principal,
      actor: by.name,
      reason,
      at,
      commit_sha: null,
      repo_full_name: null,
    },
  ];
}

const ACTIONS: Partial<Record<RfcStatus, Decision['action']>> = {
  OVERRIDDEN: 'override',
  APPROVED: 'approve',
  REJECTED: 'reject',
};

const COMPONENT = {
  risk_score: 60,
  findings_total: 1,
  held: false,
  same_as: null,
} as const;

const FINDINGS: [
  readonly [id: string, severity: Severity, title: string, file: string],
  ...(readonly [id: string, severity: Severity, title: string, file: string])[],
] = [
  ['vuln-01', 'critical', 'Request parameter `name` reaches a shell command', 'src/backup.js'],
  ['vuln-03', 'critical', 'Request parameter `id` reaches an SQL statement', 'src/orders.js'],
  ['vuln-06', 'critical', 'Request field `url` decides where a request goes', 'src/fetch.ts'],
  ['secret-aws-access-key-id', 'high', 'Hard-coded AWS access key id', 'deploy/env.sh'],
  [
    'risk-tls-verification-off',
    'high',
    'Certificate of a TLS server is not verified',
    'lib/http.py',
  ],
  ['risk-pipe-to-shell', 'medium', 'Download is executed without verification', 'install.sh'],
  [
    'risk-action-branch',
    'low',
    'Third-party action pinned to a branch',
    '.github/workflows/ci.yml',
  ],
  ['binary-file', 'medium', 'Binary file that no gate reads', 'assets/fonts.bin'],
  ['ast-hunks-only', 'info', 'Only the changed lines were analyzed', 'src/render.js'],
];

const REPOSITORIES = ['acme', 'data', 'platform', 'mobile', 'research'].flatMap((owner) =>
  [
    'shop',
    'payments',
    'web',
    'infra',
    'loader',
    'search',
    'mail',
    'auth',
    'docs',
    'jobs',
    'ui',
    'x',
  ].map((name) => `${owner}/${name}`),
);
const BRANCHES = ['main', 'main', 'main', 'release/4.2', 'feature/refunds', 'fix/timeouts'];
const VERBS = ['Retry', 'Render', 'Cache', 'Validate', 'Move', 'Log', 'Speed up', 'Simplify'];
const OBJECTS = [
  ...['payments that timed out', 'templates of partners', 'orders by customer', 'the refund form'],
  ...['uploads of images', 'the login of employees', 'nightly exports', 'the search of products'],
];
const REASONS = [
  'The parameter is checked by the gateway, see OPS-311',
  'A test key of the sandbox, which is revoked after each run',
  'Hotfix for incident 4711; the finding is mended in the next change',
];
const PEOPLE = [
  ...['Ann Berg', 'Bob Cole', 'Chen Wei', 'Dana Fox', 'Eve Gray', 'Finn Holt'],
  ...['Gita Iyer', 'Hugo Jonas', 'Ines Kim', 'Jan Lund', 'Kaya Moss', 'Lea Nowak'],
].map((name) => ({ id: name.toLowerCase().replace(' ', '.'), name }));
