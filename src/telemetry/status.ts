import type { Reviewer, TierReport } from '../analysis/review.ts';
import { STATUS } from '../limits.ts';
import type { AuditStatus } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import type { RulesState } from '../rulebook/rules-keeper.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';

export type PartState = 'up' | 'down' | 'full' | 'not configured';

/** What works and what does not, as `dispatcher/status` shows it. */
export interface Status {
  version: string;
  started_at: string;
  store: { state: PartState; driver: 'sqlite' | 'mongodb'; error: string | null };
  audit: { state: PartState; problems: string[] } | AuditStatus;
  queue: { state: PartState; running: number; waiting: number; drafts: number };
  pushes: PushesState;
  git: GitState;
  pool: { state: PartState; threads: number; busy: number; replaced: number };
  rules: RulesState & { state: PartState };
  oidc: { state: PartState };
  llm: LlmState;
  object_storage: { state: PartState };
}

/** Pushes that wait for their verdict, and statuses that wait to be posted. */
export interface PushesState {
  /** `full`: webhooks are refused, and their repositories looked at later. */
  state: PartState;
  /** In the store, of all daemons; null: not counted yet. */
  waiting: number | null;
  oldest_seconds: number | null;
  /** Claimed by this daemon. */
  running: number;
  /** Signed deliveries since the start that make no RFC: other events, deleted refs. */
  webhooks_ignored: number;
  statuses_due: number | null;
  statuses_posted: number;
  statuses_failed: number;
  /** `limited`: the host asked to wait; `off`: it has no token or no API. */
  hosts: { id: string; state: 'up' | 'down' | 'limited' | 'off'; error: string | null }[];
}

/** The models of gate 3 in this daemon. */
export interface LlmState {
  state: PartState;
  /** USD, decimal: what calls of all daemons cost today (UTC) or may still cost; null: unknown. */
  spent_today_usd: string | null;
  tiers: TierReport[];
}

/** The git that pushes are fetched with; without a good one none is judged. */
export interface GitState {
  state: 'up' | 'down';
  /** As it was found at the start; null: none was. */
  version: string | null;
}

export type StatusReport = () => Promise<Status>;

/** The live values that a report is made from. */
export interface StatusOptions {
  version: string;
  startedAt: string;
  driver: Status['store']['driver'];
  store: Pick<RecordStore, 'ping'>;
  trail: Pick<TrailStore, 'auditStatus'>;
  admission: { readonly running: number; readonly waiting: number };
  /** DRAFTs whose jobs run or wait in this daemon. */
  draftsHere(): number;
  pushes(): PushesState;
  git: GitState;
  threads: number;
  replaced(): number;
  rules(): RulesState;
  reviewer: Pick<Reviewer, 'isConfigured' | 'spentToday' | 'tiers'>;
  oidc(): PartState;
}

/** Creates the report. It never rejects: what does not answer in time is down. */
export function createStatusReport(options: StatusOptions): StatusReport {
  const { admission, threads } = options;
  return async () => {
    const [store, audit, llm] = await Promise.all([
      storeState(options),
      auditState(options),
      llmState(options),
    ]);
    const { running, waiting } = admission;
    return {
      version: options.version,
      started_at: options.startedAt,
      store,
      audit,
      queue: { state: 'up', running, waiting, drafts: options.draftsHere() },
      pushes: options.pushes(),
      git: options.git,
      pool: {
        state: 'up',
        threads,
        busy: Math.min(running, threads),
        replaced: options.replaced(),
      },
      rules: rulesState(options.rules()),
      oidc: { state: options.oidc() },
      llm,
      object_storage: { state: 'not configured' },
    };
  };
}

async function storeState({ store, driver }: StatusOptions): Promise<Status['store']> {
  try {
    await store.ping(null, { timeoutMs: STATUS.PART_WAIT_MS });
    return { state: 'up', driver, error: null };
  } catch (thrown) {
    const { code, message } = CraError.fromUnknown(thrown);
    return { state: code === 'RESOURCE_EXHAUSTED' ? 'full' : 'down', driver, error: message };
  }
}

async function auditState({ trail }: StatusOptions): Promise<Status['audit']> {
  try {
    return await trail.auditStatus(null, { timeoutMs: STATUS.PART_WAIT_MS });
  } catch (thrown) {
    return { state: 'down', problems: [CraError.fromUnknown(thrown).message] };
  }
}

/** It is up while some tier may review. */
async function llmState({ reviewer }: StatusOptions): Promise<LlmState> {
  if (!reviewer.isConfigured) return { state: 'not configured', spent_today_usd: null, tiers: [] };
  const nano = await reviewer.spentToday();
  const tiers = reviewer.tiers();
  const isUp = tiers.some(({ role, state }) => role !== 'confirm' && state === 'up');
  return {
    state: isUp ? 'up' : 'down',
    spent_today_usd: nano === null ? null : (nano / NANO_PER_USD).toFixed(NANO_DIGITS),
    tiers,
  };
}

const NANO_DIGITS = 9;
const NANO_PER_USD = 10 ** NANO_DIGITS;

/** Wrong rules are no outage while good ones are in force, but somebody has to look. */
function rulesState(rules: RulesState): Status['rules'] {
  return { state: rules.problems.length === 0 ? 'up' : 'down', ...rules };
}
