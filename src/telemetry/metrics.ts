import { AUDIT_KINDS } from '../model/audit.ts';
import { PROVIDERS } from '../model/push.ts';
import { SKIP_REASONS } from '../model/review.ts';

/**
 * Every series that `dispatcher/status` shows to Prometheus: one table, from which the registries,
 * docs/reference/metrics.md and the tests of the alerts are made.
 */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  /** Of its value: in the name as well where that is a base unit (Prometheus naming). */
  readonly unit: Unit;
  readonly help: string;
  readonly labels: readonly LabelName[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** Its series appear with their first event; of others all are there from the start. */
  readonly isSparse?: true;
}

type Unit = 'seconds' | 'bytes' | 'ratio' | 'nanodollars' | 'tokens' | 'count' | 'boolean' | 'info';

/**
 * All values of each label: anything else is counted as `other`. So no text from outside (a
 * repository, person, RFC, path, model) can become a series, and their number is bounded.
 */
export const LABELS = {
  action: ['override', 'approve', 'reject', 'delete', 'carry'],
  callResult: [
    ...['answer', 'rate_limited', 'unavailable', 'timeout', 'spent', 'refused'],
    ...['invalid_output', 'other'],
  ],
  /** Statuses that the service answers; 499: the client went away. */
  code: [
    ...['200', '400', '401', '403', '404', '409', '413', '429', '499', '500', '503', '504'],
    'other',
  ],
  coverage: ['covered', 'gap', 'unknown'],
  confirmResult: ['confirmed', 'refused', 'unanswered'],
  decisionResult: ['done', 'repeated', 'refused', 'failed', 'unknown'],
  error: [
    ...['ABORTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'INTERNAL'],
    ...['DATA_LOSS', 'UNKNOWN'],
  ],
  findingOutcome: ['blocking', 'noted', 'unlocated'],
  gate: ['risk', 'ast', 'llm'],
  gateStatus: ['pass', 'fail', 'skipped'],
  gitOperation: [
    ...['sync', 'listRefs', 'ancestry', 'areRelated', 'isAncestor', 'firstParents'],
    ...['isSameChange', 'diff', 'blobs', 'other'],
  ],
  host_kind: PROVIDERS,
  hostState: ['up', 'down', 'limited', 'off'],
  ignored: ['event', 'delete', 'ref'],
  intake: ['new', 'same-delivery', 'same-body', 'same-push'],
  kind: AUDIT_KINDS,
  level: ['enforced', 'advisory', 'tamper-evident'],
  method: ['GET', 'POST', 'PUT', 'DELETE', 'other'],
  period: ['day', 'month'],
  redaction: ['hidden', 'refused'],
  refusal: ['signature', 'payload', 'unavailable', 'other'],
  result: ['ok', 'failed'],
  role: ['review', 'confirm', 'fallback'],
  service: [
    ...['Records', 'Trail', 'Pushes', 'Tasks', 'Usage', 'Reviews', 'Rulebook', 'Sessions'],
    'other',
  ],
  side: ['read', 'write'],
  skip_reason: SKIP_REASONS,
  token: ['input', 'output', 'cache_write', 'cache_read'],
  trigger: ['api', 'webhook'],
  verdict: ['PASSED', 'BLOCKED', 'OVERRIDDEN'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Labels whose values the composition root names: from the source or the settings, never input. */
export const GIVEN_LABELS = ['class', 'driver', 'route', 'tier', 'version', 'node'] as const;
export type GivenLabel = (typeof GIVEN_LABELS)[number];
export type LabelName = keyof typeof LABELS | GivenLabel;

const FAST = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10];
/** .25 is the objective of reads and webhooks (docs/how-to/operations.md). */
const REQUEST = [0.01, 0.05, 0.25, 1, 10];
/** 10 s: gates 1 and 2 within an answer; 110 s: one attempt. */
const GATE = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 110, 300];
const GIT = [0.01, 0.1, 0.5, 2.5, 10, 60];
/** 60 s is the objective of verdicts about pushes (docs/how-to/operations.md). */
const VERDICT = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];
const LLM = [0.5, 1, 2.5, 5, 10, 30, 60, 110];

const COVERAGE_HELP = 'Repositories of configured owners by how the gate covers them.';

export const METRICS = {
  buildInfo: gauge('cra_build_info', 'info', 'Always 1; the versions of cra and Node.', [
    'version',
    'node',
  ]),
  storeUp: state('cra_store_up', 'Whether the store answers.', ['driver']),
  storeCall: histogram('cra_store_call_duration_seconds', FAST, ['service', 'side'], {
    help: 'Duration of store calls (SQLite or MongoDB), as the daemon waits for them.',
    isSparse: true,
  }),
  storeErrors: counter('cra_store_errors_total', ['service', 'error'], {
    help: 'Store calls that failed, by gRPC status code; ABORTED: another change came first.',
    isSparse: true,
  }),
  diskFree: gauge('cra_disk_free_bytes', 'bytes', 'Free bytes of the disk of the data directory.'),
  diskSize: gauge('cra_disk_size_bytes', 'bytes', 'Size of the disk of the data directory.'),

  httpRequests: counter('cra_http_requests_total', ['route', 'method', 'code'], {
    help: 'HTTP requests answered, by status code; 499: the client disconnected first.',
    isSparse: true,
  }),
  httpDuration: histogram('cra_http_request_duration_seconds', REQUEST, ['route'], {
    help: 'Duration of HTTP requests from headers to answer, with the upload and `?wait=`.',
    isSparse: true,
  }),
  httpInFlight: gauge('cra_http_requests_in_flight', 'count', 'Requests not answered yet.'),

  gateDuration: histogram('cra_gate_duration_seconds', GATE, ['gate', 'gateStatus'], {
    help: 'Duration of a gate for one change, by the status of the gate.',
    isSparse: true,
  }),
  verdicts: counter('cra_verdicts_total', ['trigger', 'verdict'], {
    help: 'Verdicts by status; OVERRIDDEN: carried from a decision about the same change.',
  }),
  admitRefused: counter('cra_admission_refused_total', [], {
    help: 'Diffs refused with 503, because every scan thread was busy for too long.',
  }),
  queueDepth: gauge('cra_pipeline_queue_depth', 'count', 'Jobs that wait for a scan thread.'),
  queueAge: gauge('cra_pipeline_oldest_age_seconds', 'seconds', 'Age of the oldest of these jobs.'),
  drafts: gauge('cra_pipeline_drafts', 'count', 'DRAFTs whose jobs run or wait in this daemon.'),
  poolThreads: gauge('cra_pool_threads', 'count', 'Scan threads that the settings ask for.'),
  poolAlive: gauge('cra_pool_threads_alive', 'count', 'Scan threads that run.'),
  poolBusy: gauge('cra_pool_busy', 'count', 'Scan threads with a job.'),
  poolLost: counter('cra_pool_threads_lost_total', [], {
    help: 'Scan threads that ended unexpectedly; each was replaced.',
  }),
  astChildren: gauge('cra_ast_children', 'count', 'AST child processes that run.'),
  astLost: counter('cra_ast_children_lost_total', [], {
    help: 'AST child processes that ended unexpectedly or were stuck.',
  }),

  pushesReceived: counter('cra_pushes_received_total', ['intake'], {
    help: 'Signed push webhooks by outcome; only `new` creates an RFC.',
  }),
  pushesIgnored: counter('cra_pushes_ignored_total', ['ignored'], {
    help: 'Signed webhooks that create no RFC: another event, a deleted ref, a ref not judged.',
  }),
  webhookRejected: counter('cra_webhook_rejected_total', ['refusal'], {
    help: 'Webhooks refused, by reason: signature, payload, or store unavailable (503).',
  }),
  pushesWaiting: gauge('cra_pushes_waiting', 'count', 'Pushes of all daemons without a verdict.'),
  pushesOldest: gauge('cra_pushes_oldest_age_seconds', 'seconds', 'Age of the oldest of them.'),
  pushesRunning: gauge('cra_pushes_running', 'count', 'Pushes that this daemon works on.'),
  pushesMax: gauge('cra_pushes_waiting_max', 'count', 'Waiting pushes above which are refused.'),
  pushesSuperseded: counter('cra_pushes_superseded_total', [], {
    help: 'Pushes replaced by a newer one of the same ref before their verdict.',
  }),
  landedOpen: gauge(
    'cra_landed_blocked_open',
    'count',
    'Pushes to protected branches whose verdict refuses them, until the branch is accepted again.',
  ),
  landed: counter('cra_landed_blocked_total', [], {
    help: 'Verdicts of the service that refused a change on a protected branch.',
  }),
  coverage: gauge('cra_coverage_repositories', 'count', COVERAGE_HELP, ['coverage']),
  verdictDelay: histogram('cra_push_verdict_duration_seconds', VERDICT, [], {
    help: 'Time from the receipt of a push to its verdict.',
  }),

  eventsWaiting: gauge('cra_events_waiting', 'count', 'Deliveries of events that wait.'),
  eventsOldest: gauge('cra_events_oldest_age_seconds', 'seconds', 'Age of the oldest of them.'),
  eventsDead: gauge('cra_events_dead', 'count', 'Events that were given up, until a replay.'),
  eventsDelivered: counter('cra_events_delivered_total', [], {
    help: 'Events that a receiver took.',
  }),

  statusesDue: gauge('cra_statuses_due', 'count', 'Commit statuses of all daemons to be posted.'),
  statusesPosted: counter('cra_statuses_posted_total', ['host_kind'], {
    help: 'RFCs whose commit status was posted to the Git host.',
  }),
  statusesFailed: counter('cra_statuses_failed_total', ['host_kind'], {
    help: 'RFCs whose commit status could not be posted and is no longer retried.',
  }),
  hosts: gauge('cra_hosts', 'count', 'Git hosts by kind and state.', ['host_kind', 'hostState']),

  decisions: counter('cra_decisions_total', ['action', 'decisionResult'], {
    help: 'Decisions by kind and result; refused: the status of the RFC did not allow it.',
  }),
  emergenciesDue: gauge('cra_emergency_reviews_due', 'count', 'Emergency overrides to review.'),
  emergenciesOverdue: gauge('cra_emergency_reviews_overdue', 'count', 'Of these, overdue ones.'),
  auditAppends: counter('cra_audit_appends_total', ['kind', 'result'], {
    help: 'Audit trail entries by kind and result; failed: the entry could not be written.',
    isSparse: true,
  }),
  auditAppend: histogram('cra_audit_append_duration_seconds', FAST, [], {
    help: 'Time until the audit trail entry of a decision or event was durable.',
  }),
  auditUp: state('cra_audit_up', 'Whether decisions are taken: the trail can be written.'),
  auditWorm: gauge('cra_audit_worm', 'boolean', '1 for what the trail withstands now.', ['level']),
  auditBytes: gauge('cra_audit_capped_bytes', 'bytes', 'Size of the audit trail.'),
  auditMax: gauge('cra_audit_max_bytes', 'bytes', 'Bound of the trail; absent: the disk alone.'),
  auditUnsealed: gauge(
    'cra_audit_unsealed_entries',
    'count',
    'Entries of the chain of this daemon that no checkpoint covers.',
  ),
  auditCheckpoint: gauge(
    'cra_audit_last_checkpoint_timestamp_seconds',
    'seconds',
    'Unix time of the last checkpoint of this daemon; 0 before the first.',
  ),
  auditIntents: gauge('cra_audit_intents_open', 'count', 'Decisions without an outcome.'),
  auditMissing: gauge(
    'cra_audit_missing_entries',
    'count',
    'Entries of the trail that were removed or changed, as far as this daemon has read it.',
  ),
  auditVerify: state('cra_audit_verify_ok', '0 while the trail has a gap that nobody accepted.'),

  gitUp: state('cra_git_up', 'Whether a usable git is found: without one no push is judged.'),
  gitDuration: histogram('cra_git_duration_seconds', GIT, ['gitOperation'], {
    help: 'Duration of calls to the git thread.',
    isSparse: true,
  }),
  gitErrors: counter('cra_git_errors_total', ['gitOperation'], {
    help: 'Calls to the git thread that failed.',
    isSparse: true,
  }),

  rulesRevision: gauge('cra_rules_revision', 'count', 'Number of the rules revision in force.'),
  rulesErrors: gauge('cra_rules_parse_errors', 'count', 'Problems of rules not taken up.'),
  rulesWarnings: gauge('cra_rules_warnings', 'count', 'Warnings about the rules in force.'),
  rulesReload: counter('cra_rules_reload_total', ['result'], {
    help: 'New rules from file, API or another daemon: in force (ok) or refused (failed).',
  }),

  issuerUp: state('cra_issuer_up', 'Whether the keys of the OIDC issuer can be fetched.'),
  objectsUp: state('cra_objectstore_up', 'Whether the object storage of the trail answers.'),
  segmentsWaiting: gauge(
    'cra_audit_segments_waiting',
    'count',
    'Segments of the trail that are due and not sealed in the object storage.',
  ),
  segmentsSealed: gauge(
    'cra_audit_last_sealed_timestamp_seconds',
    'seconds',
    'Unix time of the newest sealed segment; 0 before the first.',
  ),

  llmCalls: counter('cra_llm_calls_total', ['tier', 'callResult'], {
    help: 'LLM calls by outcome.',
    isSparse: true,
  }),
  llmCall: histogram('cra_llm_call_seconds', LLM, ['role'], {
    help: 'Time from the start of an LLM call to the end of its answer.',
    isSparse: true,
  }),
  llmFirstByte: histogram('cra_llm_first_byte_seconds', LLM, [], {
    help: 'Time from the start of an LLM call to the first event of its answer.',
  }),
  llmTokens: counter('cra_llm_tokens_total', ['tier', 'token'], {
    help: 'LLM tokens, as the vendors reported them.',
    unit: 'tokens',
    isSparse: true,
  }),
  llmCost: counter('cra_llm_cost_nanodollars_total', ['tier'], {
    help: 'Cost of settled LLM calls in nano-dollars (USD x 10^-9).',
    unit: 'nanodollars',
  }),
  llmReserved: gauge(
    'cra_llm_reserved_nanodollars',
    'nanodollars',
    'Held back for calls of this daemon that are open.',
  ),
  llmBudget: gauge(
    'cra_llm_budget_used_ratio',
    'ratio',
    'Used part of the budget of all daemons; absent without a budget.',
    ['period'],
  ),
  llmRunning: gauge('cra_llm_inflight', 'count', 'LLM calls under way.'),
  llmWaiting: gauge('cra_llm_queue_depth', 'count', 'Reviews and calls that wait for a place.'),
  llmOldest: gauge('cra_llm_oldest_age_seconds', 'seconds', 'Age of the oldest review that waits.'),
  llmBreaker: state('cra_llm_breaker_open', '1 while no call is made: too many failed.', ['tier']),
  llmUp: state('cra_llm_tier_up', 'Whether a model may be called.', ['tier']),
  llmSkipped: counter('cra_llm_skipped_total', ['skip_reason'], {
    help: 'Changes that gate 3 did not read in full, by reason.',
  }),
  llmFindings: counter('cra_llm_findings_total', ['class', 'findingOutcome'], {
    help: 'Findings of LLMs: critical or high, others, and entries of answers that are not findings.',
    isSparse: true,
  }),
  llmConfirm: counter('cra_llm_confirm_total', ['confirmResult'], {
    help: 'Findings that a second LLM was asked to confirm, by its answer.',
  }),
  llmCacheHits: counter('cra_llm_cache_hits_total', [], {
    help: 'Parts of changes whose answer was remembered, so that no LLM was called.',
  }),
  llmRedactions: counter('cra_llm_redactions_total', ['redaction'], {
    help: 'Values hidden from LLMs; refused: a change that still seemed to hold a secret.',
  }),
  llmInjections: counter('cra_llm_injections_total', [], {
    help: 'Changes in which an LLM found text that tries to instruct it.',
  }),
  llmModelChanges: counter('cra_llm_model_changes_total', [], {
    help: 'Answers by another model version than the previous answer of the same tier.',
  }),
} as const satisfies Readonly<Record<string, Metric>>;

export type Metrics = typeof METRICS;
export type MetricOf<Type extends Metric['type']> = {
  [Key in keyof Metrics]: Metrics[Key]['type'] extends Type ? Key : never;
}[keyof Metrics];
/** Labels of a metric's values. */
export type LabelsOf<Key extends keyof Metrics> = Readonly<
  Record<Metrics[Key]['labels'][number], string>
>;

/** The name of a label on the wire, where a list of values has one of its own. */
export function labelOnWire(label: LabelName): string {
  return ON_WIRE[label] ?? label;
}

const ON_WIRE: Partial<Record<LabelName, string>> = {
  callResult: 'result',
  coverage: 'state',
  confirmResult: 'result',
  decisionResult: 'result',
  error: 'code',
  findingOutcome: 'outcome',
  gateStatus: 'status',
  gitOperation: 'operation',
  hostState: 'state',
  ignored: 'reason',
  intake: 'outcome',
  period: 'scope',
  redaction: 'kind',
  refusal: 'reason',
  skip_reason: 'reason',
  token: 'kind',
  verdict: 'status',
};

/**
 * Of the process and of Node, measured by prom-client: names, and why they are worth their place.
 */
export const PROCESS_METRICS = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_max_fds',
  // The first of them measures the others.
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_gc_duration_seconds',
] as const;

interface Text {
  readonly help: string;
  readonly unit?: Unit;
  readonly isSparse?: true;
}

function counter<const Labels extends readonly LabelName[]>(
  name: `${string}_total`,
  labels: Labels,
  text: Text,
) {
  return { type: 'counter', name, unit: 'count', labels, ...text } as const;
}

function histogram<const Labels extends readonly LabelName[]>(
  name: `${string}_seconds`,
  buckets: readonly number[],
  labels: Labels,
  text: Text,
) {
  return { type: 'histogram', name, unit: 'seconds', buckets, labels, ...text } as const;
}

interface Gauge<Labels extends readonly LabelName[]> {
  readonly type: 'gauge';
  readonly name: string;
  readonly unit: Unit;
  readonly help: string;
  readonly labels: Labels;
}

function gauge(name: string, unit: Unit, help: string): Gauge<readonly []>;
function gauge<const Labels extends readonly LabelName[]>(
  name: string,
  unit: Unit,
  help: string,
  labels: Labels,
): Gauge<Labels>;
function gauge(name: string, unit: Unit, help: string, labels: readonly LabelName[] = []) {
  return { type: 'gauge', name, unit, help, labels };
}

/** 1 or 0; absent where the part is not configured. */
function state(name: string, help: string): Gauge<readonly []>;
function state<const Labels extends readonly LabelName[]>(
  name: string,
  help: string,
  labels: Labels,
): Gauge<Labels>;
function state(name: string, help: string, labels: readonly LabelName[] = []) {
  return { type: 'gauge', name, unit: 'boolean', help, labels };
}
