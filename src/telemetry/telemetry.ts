import { statfs } from 'node:fs/promises';
import type { Vote } from '../gates/review/review.ts';
import type { ModelCall } from '../gates/review/tier.ts';
import type { FinishedCall } from '../rpc/service.ts';
import { LABELS } from './metrics.ts';
import {
  createCallCounter,
  createMetricsRegistry,
  type Exemplar,
  type GivenValues,
  type MetricsFormat,
  type MetricsRegistry,
} from './registry.ts';
import type { PartState, Status } from './status.ts';

/**
 * What the composition root wires to the parts of the daemon, as plain functions. They take
 * microseconds, never throw, and no part but this one knows of metrics.
 */
export interface Telemetry {
  /** A request was answered, or its client has gone. */
  answered(request: AnsweredRequest): void;
  /** Calls that came back, by what served them. */
  scanCalled(call: FinishedCall): void;
  gitCalled(call: FinishedCall): void;
  readerCalled(call: FinishedCall): void;
  writerCalled(call: FinishedCall): void;
  /** A diff was refused, because no scan thread was free for too long. */
  overloaded(): void;
  /** A model was called, or its finding had a second vote. */
  modelCalled(call: ModelCall): void;
  voted(vote: Vote): void;
  threadLost(): void;
  childLost(): void;
  /** A signed webhook makes no RFC: its event or ref, or `delete`. */
  webhookIgnored(what: string): void;
  /** The rules file was not taken up. */
  rulesRefused(): void;
  /** All series, with gauges that show this state. */
  scrape(format: MetricsFormat, status: Status): Promise<{ contentType: string; body: string }>;
}

/** A request that is over. */
export interface AnsweredRequest {
  /** Name and method of its route; null: its path has no route. */
  route: { name: string; method: string } | null;
  /** Null: the client went away. */
  status: number | null;
  /** From its headers to its answer. */
  ms: number;
  ids: Exemplar;
}

export interface TelemetryOptions {
  given: GivenValues;
  /** Open pushes above which webhooks are refused. */
  pushesMax: number;
  /** Requests that are not answered yet. */
  inFlight(): number;
  /** Where free space is looked for. */
  dataDir: string;
}

const SECOND_MS = 1_000;
const GONE = 499;
/** Requests that took longer are logged, and are exemplars of the metrics. */
export const SLOW_REQUEST_MS = 1 * SECOND_MS;

/** Creates the telemetry of a daemon, over a registry of its own if none is given. */
export async function createTelemetry(
  options: TelemetryOptions,
  given: MetricsRegistry | null = null,
): Promise<Telemetry> {
  const registry = given ?? (await createMetricsRegistry(options.given));
  const version = options.given.version[0] ?? '';
  const node = options.given.node[0] ?? '';
  registry.set('buildInfo', { version, node }, 1);
  registry.set('pushesMax', {}, options.pushesMax);
  const calls = createCallCounter(registry);
  return {
    answered: (request) => countRequest(registry, request),
    scanCalled: calls.scan,
    gitCalled: calls.git,
    readerCalled: (call) => calls.store('read', call),
    writerCalled: (call) => calls.store('write', call),
    overloaded: () => registry.count('admitRefused', {}),
    modelCalled: createModelCounter(registry),
    voted: (confirmResult) => registry.count('llmConfirm', { confirmResult }),
    threadLost: () => registry.count('poolLost', {}),
    childLost: () => registry.count('astLost', {}),
    webhookIgnored(what) {
      const isRef = what.startsWith('refs/');
      const ignored = what === 'delete' ? 'delete' : isRef ? 'ref' : 'event';
      registry.count('pushesIgnored', { ignored });
    },
    rulesRefused: () => registry.count('rulesReload', { result: 'failed' }),
    async scrape(format, status) {
      const disk = await spaceOf(options.dataDir);
      setGauges(registry, status);
      registry.set('httpInFlight', {}, options.inFlight());
      registry.set('diskFree', {}, disk?.free ?? null);
      registry.set('diskSize', {}, disk?.size ?? null);
      return await registry.render(format);
    },
  };
}

function countRequest(registry: MetricsRegistry, request: AnsweredRequest): void {
  const { status, ms, ids } = request;
  const { name: route, method } = request.route ?? NO_ROUTE;
  const code = String(status ?? GONE);
  registry.count('httpRequests', { route, method, code });
  // Without a trace an exemplar helps where the log has the request.
  const isFound = ids.trace_id !== undefined || ms >= SLOW_REQUEST_MS;
  registry.observe('httpDuration', { route }, ms / SECOND_MS, isFound ? ids : null);
  if (route === 'webhook' && status !== null && status >= 400) {
    registry.count('webhookRejected', { refusal: refusalOf(status) });
  }
  if (route === 'rules-put' && status === 400) {
    registry.count('rulesReload', { result: 'failed' });
  }
}

const NO_ROUTE = { name: 'other', method: 'other' };

function refusalOf(status: number): (typeof LABELS.refusal)[number] {
  if (status === 401) return 'signature';
  if (status >= 500) return 'unavailable';
  return status === 429 ? 'other' : 'payload';
}

/** Also notices when a vendor answers with another model than before. */
function createModelCounter(registry: MetricsRegistry): Telemetry['modelCalled'] {
  const models = new Map<string, string>();
  return ({ tier, role, model, result, ms, firstEventMs }) => {
    const callResult = CALL_RESULTS.has(result) ? result : 'other';
    registry.count('llmCalls', { tier, callResult });
    registry.observe('llmCall', { role }, ms / SECOND_MS);
    if (firstEventMs !== null) registry.observe('llmFirstByte', {}, firstEventMs / SECOND_MS);
    if (model === null) return;
    if (models.has(tier) && models.get(tier) !== model) registry.count('llmModelChanges', {});
    models.set(tier, model);
  };
}

const CALL_RESULTS: ReadonlySet<string> = new Set(LABELS.callResult);

async function spaceOf(path: string): Promise<{ free: number; size: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch {
    return null;
  }
}

/** A part that is not configured does not appear. */
function upOf(state: PartState): number | null {
  return state === 'not configured' ? null : Number(state === 'up');
}

function setGauges(registry: MetricsRegistry, status: Status): void {
  const { store, queue, pool, git, rules } = status;
  registry.set('storeUp', { driver: store.driver }, Number(store.state === 'up'));
  registry.set('queueDepth', {}, queue.waiting);
  registry.set('queueAge', {}, queue.oldest_seconds);
  registry.set('drafts', {}, queue.drafts);
  registry.set('poolThreads', {}, pool.threads);
  registry.set('poolAlive', {}, pool.alive);
  registry.set('poolBusy', {}, pool.busy);
  registry.set('astChildren', {}, pool.children);
  registry.set('gitUp', {}, Number(git.state === 'up'));
  registry.set('rulesRevision', {}, rules.number);
  registry.set('rulesErrors', {}, rules.problems.length);
  registry.set('rulesWarnings', {}, rules.warnings.length);
  registry.set('issuerUp', {}, upOf(status.oidc.state));
  registry.set('emergenciesDue', {}, status.emergencies.due);
  registry.set('emergenciesOverdue', {}, status.emergencies.overdue);
  setSegments(registry, status.object_storage);
  setPushes(registry, status.pushes);
  setEvents(registry, status.events);
  setAudit(registry, status.audit);
  setLlm(registry, status.llm);
}

function setPushes(registry: MetricsRegistry, pushes: Status['pushes']): void {
  registry.set('pushesWaiting', {}, pushes.waiting);
  registry.set('pushesOldest', {}, pushes.waiting === null ? null : (pushes.oldest_seconds ?? 0));
  registry.set('pushesRunning', {}, pushes.running);
  registry.set('statusesDue', {}, pushes.statuses_due);
  registry.set('landedOpen', {}, pushes.landed_blocked);
  for (const coverage of LABELS.coverage) {
    registry.set('coverage', { coverage }, pushes.coverage[coverage]);
  }
  for (const host_kind of LABELS.host_kind) {
    const hosts = pushes.hosts.filter(({ provider }) => provider === host_kind);
    const sum = (field: 'posted' | 'failed') =>
      hosts.reduce((total, host) => total + host[field], 0);
    registry.total('statusesPosted', { host_kind }, sum('posted'));
    registry.total('statusesFailed', { host_kind }, sum('failed'));
    for (const hostState of LABELS.hostState) {
      const count = hosts.filter(({ state }) => state === hostState).length;
      registry.set('hosts', { host_kind, hostState }, count);
    }
  }
}

/** Absent without subscriptions, and before the first count. */
function setEvents(registry: MetricsRegistry, { subscriptions }: Status['events']): void {
  const isCounted = subscriptions.some(({ waiting }) => waiting !== null);
  const values = (field: 'waiting' | 'dead' | 'delivered' | 'oldest_seconds') =>
    subscriptions.map((each) => each[field] ?? 0);
  const sum = (field: 'waiting' | 'dead' | 'delivered') =>
    values(field).reduce((total, value) => total + value, 0);
  registry.set('eventsWaiting', {}, isCounted ? sum('waiting') : null);
  registry.set('eventsOldest', {}, isCounted ? Math.max(...values('oldest_seconds')) : null);
  registry.set('eventsDead', {}, isCounted ? sum('dead') : null);
  registry.total('eventsDelivered', {}, sum('delivered'));
}

function setAudit(registry: MetricsRegistry, audit: Status['audit']): void {
  registry.set('auditUp', {}, Number(audit.state === 'up'));
  const known = 'worm' in audit ? audit : null;
  const compared = audit.state === 'checking' ? null : Number(audit.state !== 'refused');
  registry.set('auditVerify', {}, compared);
  for (const level of LABELS.level) {
    registry.set('auditWorm', { level }, known === null ? null : Number(known.worm === level));
  }
  registry.set('auditBytes', {}, known?.bytes ?? null);
  registry.set('auditMax', {}, known?.bytes_max ?? null);
  registry.set('auditIntents', {}, known?.open_intents ?? null);
  registry.set('auditMissing', {}, known?.missing_entries ?? null);
  const sealed = known?.last_checkpoint ?? null;
  registry.set('auditUnsealed', {}, known === null ? null : known.seq - (sealed?.seq ?? 0));
  const sealedAt = sealed === null ? 0 : Date.parse(sealed.at) / SECOND_MS;
  registry.set('auditCheckpoint', {}, known === null ? null : sealedAt);
}

function setSegments(registry: MetricsRegistry, storage: Status['object_storage']): void {
  const { state, behind, last_sealed_at } = storage;
  registry.set('objectsUp', {}, upOf(state));
  registry.set('segmentsWaiting', {}, behind);
  const sealedAt = last_sealed_at === null ? 0 : Date.parse(last_sealed_at) / SECOND_MS;
  registry.set('segmentsSealed', {}, behind === null ? null : sealedAt);
}

function setLlm(registry: MetricsRegistry, llm: Status['llm']): void {
  const { tiers, budget_used } = llm;
  const sum = (field: 'running' | 'waiting') =>
    tiers.reduce((total, each) => total + each[field], 0);
  registry.set('llmRunning', {}, sum('running'));
  registry.set('llmWaiting', {}, llm.waiting + sum('waiting'));
  registry.set('llmOldest', {}, llm.oldest_seconds);
  for (const period of LABELS.period) registry.set('llmBudget', { period }, budget_used[period]);
  for (const { name: tier, state, breaker } of tiers) {
    registry.set('llmUp', { tier }, Number(state === 'up'));
    registry.set('llmBreaker', { tier }, Number(breaker === 'open'));
  }
}
