import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createRedact, type Redact } from '../analysis/job.ts';
import type { Pipeline } from '../analysis/pipeline.ts';
import { createCodeReader, createRfcs, type Waiters } from '../analysis/read-rfcs.ts';
import type { Rereviews } from '../analysis/rereview.ts';
import type { Reviewer } from '../analysis/review.ts';
import type { Admission, ScanPool } from '../analysis/scan-pool.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { createBulkOverride } from '../decisions/bulk-override.ts';
import { createDecisions } from '../decisions/decisions.ts';
import { createPreReceive } from '../decisions/pre-receive.ts';
import { createAskReview, createRemarks } from '../decisions/remarks.ts';
import { createOpsLog, createTrailReads } from '../decisions/trail.ts';
import { createProdCheck } from '../heads/prod-check.ts';
import { createOpsLogHandlers, createTrailHandlers } from '../http/api/audit.ts';
import { createDashboardHandlers, createPulseHandlers, openAssets } from '../http/api/dashboard.ts';
import { createBulkOverrideHandlers, createDecisionHandlers } from '../http/api/decisions.ts';
import { createLoginHandlers, type LoginOptions } from '../http/api/login.ts';
import { createPreReceiveHandlers } from '../http/api/pre-receive.ts';
import { createProdCheckHandlers } from '../http/api/prod-check.ts';
import { createRemarkHandlers } from '../http/api/remarks.ts';
import { createAnalyzeHandlers, createRfcHandlers } from '../http/api/rfc.ts';
import { createRulesHandlers } from '../http/api/rules.ts';
import { createStatusHandlers } from '../http/api/status.ts';
import { createTaskHandlers } from '../http/api/tasks.ts';
import { createStatsHandlers, createUsageHandlers } from '../http/api/usage.ts';
import { createWebhookHandlers } from '../http/api/webhook.ts';
import type { Handlers } from '../http/server/dispatch.ts';
import { RULES } from '../model/limits.ts';
import { createRulesDryRun } from '../rulebook/rules-dry-run.ts';
import type { RulesKeeper } from '../rulebook/rules-keeper.ts';
import { createTaskQueue } from '../tasks/tasks.ts';
import { createStatusReport } from '../telemetry/status.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { createUsageLedger } from '../usage/usage.ts';
import type { Access } from './access.ts';
import type { Config } from './config/config.ts';
import { ownVersion } from './data-dir.ts';
import { type Pushes, pushesState } from './pushes.ts';
import type { OpenStore } from './threads.ts';

/** The OpenAPI document, which `npm run openapi` writes. */
const API_DESCRIPTION = new URL('../../../docs/openapi.json', import.meta.url);

/** The parts that the services need. */
export interface Parts extends OpenStore {
  config: Config;
  admission: Admission;
  pool: ScanPool;
  reviewer: Reviewer;
  rereviews: Rereviews;
  pipeline: Pipeline;
  queue: Pushes;
  waiters: Waiters;
  keeper: RulesKeeper;
  telemetry: Telemetry;
  may: Authentication['may'];
  /** Whether the keys of the issuer can be fetched; null: there is no issuer. */
  issuer: Access['issuer'];
  /** Null: logging in is not configured. */
  login: LoginOptions | null;
  /** Base of links; the bound port when no base URL is configured. */
  baseUrl(): string;
  isStopping(): boolean;
}

/** How often those who wait for an RFC look whether another daemon has judged it. */
const SHARED_POLL_MS = 2_000;

/** Services over the parts, and the handlers over the services. */
export function createHandlers(parts: Parts): Handlers {
  const { store, pushes, trail, tasks, usage, keeper, pipeline, admission, queue, rereviews } =
    parts;
  const { analysis } = parts.pool;
  const now = () => new Date();
  const redact = createRedact({ admission, analysis, rules: keeper.source });
  const taskStore = {
    ...tasks,
    findFindings: store.findFindings,
    listRfcs: store.listRfcs,
  };
  const rfcs = createRfcs(
    ...([store, pushes, parts.waiters] as const),
    parts.config.store.kind === 'mongodb' ? SHARED_POLL_MS : null,
  );
  // A decision ends the job of its RFC, wherever that runs, and the Git host gets a new status.
  const jobs = {
    cancel(rfcId: string) {
      pipeline.cancel(rfcId);
      rereviews.cancel(rfcId);
      queue.runner.cancel(rfcId);
      queue.outbox.wake();
    },
  };
  const { fourEyes } = parts.config.auth;
  const deciding = { trail, pipeline: jobs, redact, fourEyes, rules: keeper.source, now };
  const report = createStatusReport(statusOf(parts));
  return {
    ...createStatusHandlers(
      report,
      parts.telemetry,
      parts.isStopping,
      readFileSync(API_DESCRIPTION, 'utf8'),
    ),
    ...createAnalyzeHandlers(pipeline),
    ...createPulseHandlers({
      counts: (tenant_id, most) => store.pulse({ tenant_id, most }),
      state: store.getState,
      pushesWaiting: () => queue.depth()?.open ?? null,
      parts: async () => ({ ...(await report()) }),
      version: ownVersion(),
      now: () => performance.now(),
    }),
    ...createRfcHandlers(
      rfcs,
      createCodeReader({ store, source: queue.source, admission, analysis, rules: keeper.source }),
    ),
    ...createDecisionHandlers(
      createDecisions(deciding),
      createAskReview({ store, trail, reviewer: parts.reviewer, rereviews, redact, now }),
    ),
    ...createBulkOverrideHandlers(createBulkOverride(deciding)),
    ...createRemarkHandlers(createRemarks({ trail, redact, now })),
    ...createTrailHandlers(createTrailReads(trail)),
    ...createOpsLogHandlers(createOpsLog({ trail, redact })),
    ...preReceive(parts, redact),
    ...createProdCheckHandlers(createProdCheck({ pushes, trail, records: store }, parts.baseUrl)),
    ...createTaskHandlers(createTaskQueue(taskStore, Date.now)),
    ...createUsageHandlers(createUsageLedger(usage, Date.now)),
    ...createStatsHandlers(rfcs),
    ...createRulesHandlers(
      keeper,
      createRulesDryRun(keeper, { admission, analysis, store, withinMs: RULES.DRY_RUN_MS }),
      redact,
    ),
    ...createWebhookHandlers(rfcs.newestPush),
    ...createLoginHandlers(parts.login),
    ...createDashboardHandlers({
      assets: openAssets(fileURLToPath(new URL('../../dashboard', import.meta.url))),
      may: parts.may,
      ...parts.config.auth,
      isAuthEnabled: parts.config.auth.isEnabled,
      sessions: parts.login?.sessions ?? null,
    }),
  };
}

function preReceive(parts: Parts, redact: Redact) {
  const { admission, pool, keeper, trail, baseUrl } = parts;
  const screening = { admission, analysis: pool.analysis, rules: keeper.source };
  return createPreReceiveHandlers(createPreReceive({ ...screening, trail, redact, baseUrl }));
}

function statusOf(parts: Parts): Parameters<typeof createStatusReport>[0] {
  const { config, store, trail, admission, pool, pipeline, keeper, issuer } = parts;
  return {
    version: ownVersion(),
    startedAt: new Date().toISOString(),
    driver: config.store.kind,
    store,
    trail,
    admission,
    draftsHere: () => pipeline.draftsRunning,
    pushes: () => pushesState(parts.queue, config.vcs),
    git: parts.queue.git,
    threads: config.threads,
    pool,
    rules: keeper.state.bind(keeper),
    reviewer: parts.reviewer,
    laterReviews: parts.rereviews,
    issuer,
  };
}
