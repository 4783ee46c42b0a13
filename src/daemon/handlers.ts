import { fileURLToPath } from 'node:url';
import type { Admission } from '../analysis/admission.ts';
import type { Pipeline } from '../analysis/pipeline.ts';
import { createRedact } from '../analysis/redaction.ts';
import type { Reviewer } from '../analysis/review.ts';
import { createRfcs } from '../analysis/rfcs.ts';
import type { ScanPool } from '../analysis/scan-pool.ts';
import type { Waiters } from '../analysis/waiters.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { createBulkOverride } from '../decisions/bulk-override.ts';
import { createDecisions } from '../decisions/decisions.ts';
import { createOpsLog } from '../decisions/ops-log.ts';
import { createProdCheck } from '../heads/prod-check.ts';
import { createDashboardHandlers } from '../http/api/dashboard.ts';
import { createDecisionHandlers } from '../http/api/handlers-decisions.ts';
import { createDeskHandlers } from '../http/api/handlers-desk.ts';
import { createLoginHandlers, type LoginOptions } from '../http/api/handlers-login.ts';
import { createRfcHandlers, healthReply } from '../http/api/handlers-rfc.ts';
import { createRulesHandlers } from '../http/api/handlers-rules.ts';
import { createWebhookHandlers } from '../http/api/handlers-webhook.ts';
import { ROUTES } from '../http/api/routes.ts';
import { openAssets } from '../http/assets.ts';
import { describeApi } from '../http/openapi/document.ts';
import type { Handlers } from '../http/server/dispatch.ts';
import { documentReply } from '../http/server/reply.ts';
import { RULES } from '../limits.ts';
import { createRulesDryRun } from '../rulebook/rules-dry-run.ts';
import type { RulesKeeper } from '../rulebook/rules-keeper.ts';
import { createTaskQueue } from '../tasks/tasks.ts';
import { createStatusReport } from '../telemetry/status.ts';
import { createUsageLedger } from '../usage/usage.ts';
import type { Config } from './config/config.ts';
import { type Pushes, pushesState } from './pushes.ts';
import { type OpenStore, ownVersion } from './store.ts';

/** What the use cases are made of. */
export interface Parts extends OpenStore {
  config: Config;
  admission: Admission;
  pool: ScanPool;
  reviewer: Reviewer;
  pipeline: Pipeline;
  queue: Pushes;
  waiters: Waiters;
  keeper: RulesKeeper;
  may: Authentication['may'];
  /** Null: nobody can log in. */
  login: LoginOptions | null;
  /** Port that was bound, for links when no base URL is configured. */
  baseUrl(): string;
  isStopping(): boolean;
}

/** Services over the parts, and the handlers over the services. */
export function createHandlers(parts: Parts): Handlers {
  const { store, pushes, trail, tasks, usage, keeper, pipeline, admission, queue } = parts;
  const { analysis } = parts.pool;
  const now = () => new Date();
  const redact = createRedact({ admission, analysis, rules: keeper.source });
  const taskStore = {
    ...tasks,
    findFindings: store.findFindings,
    listRfcs: store.listRfcs,
  };
  const rfcs = createRfcs(store, pushes, parts.waiters);
  // A decision ends the job of its RFC, wherever that runs, and the host is told of it.
  const jobs = {
    cancel(rfcId: string) {
      pipeline.cancel(rfcId);
      queue.runner.cancel(rfcId);
      queue.outbox.wake();
    },
  };
  return {
    ...createRfcHandlers(pipeline, rfcs),
    ...createWebhookHandlers(rfcs.newestPush),
    ...createDecisionHandlers({
      decisions: createDecisions({ trail, pipeline: jobs, redact, now }),
      bulkOverride: createBulkOverride({ trail, pipeline: jobs, redact, now }),
      opsLog: createOpsLog({ trail, redact }),
    }),
    ...createDeskHandlers({
      prodCheck: createProdCheck(pushes, parts.baseUrl),
      tasks: createTaskQueue(taskStore, Date.now),
      usage: createUsageLedger(usage, Date.now),
      status: createStatusReport(statusOf(parts)),
    }),
    ...createRulesHandlers(
      keeper,
      createRulesDryRun(keeper, { admission, analysis, store, withinMs: RULES.DRY_RUN_MS }),
      redact,
    ),
    ...createLoginHandlers(parts.login),
    ...createDashboardHandlers({
      assets: openAssets(fileURLToPath(new URL('../../dashboard', import.meta.url))),
      may: parts.may,
      isAuthEnabled: parts.config.auth.isEnabled,
    }),
    openapi: createApiDescription(),
    health: () => Promise.resolve(healthReply(parts.isStopping())),
  };
}

/** Made at the start: it changes with the program alone. */
function createApiDescription(): Handlers['openapi'] {
  const text = JSON.stringify(describeApi(ROUTES, ownVersion()));
  const reply = documentReply('application/json', text);
  return () => Promise.resolve(reply);
}

function statusOf(parts: Parts): Parameters<typeof createStatusReport>[0] {
  const { config, store, trail, admission, pool, pipeline, keeper } = parts;
  return {
    version: ownVersion(),
    startedAt: new Date().toISOString(),
    driver: config.store.kind,
    store,
    trail,
    admission,
    draftsHere: () => pipeline.draftsRunning,
    pushes: () => pushesState(parts.queue),
    git: parts.queue.git,
    threads: config.threads,
    replaced: () => pool.replaced,
    rules: keeper.state.bind(keeper),
    reviewer: parts.reviewer,
    oidc: () => (config.auth.oidc === null ? 'not configured' : 'up'),
  };
}
