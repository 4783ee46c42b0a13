import type { Config } from '../config.ts';
import type { Handlers } from '../http/dispatch.ts';
import { createDecisionHandlers } from '../http/handlers-decisions.ts';
import { createDeskHandlers } from '../http/handlers-desk.ts';
import { createLoginHandlers, type LoginOptions } from '../http/handlers-login.ts';
import { createRfcHandlers, healthReply } from '../http/handlers-rfc.ts';
import { createRulesHandlers } from '../http/handlers-rules.ts';
import { createWebhookHandlers } from '../http/handlers-webhook.ts';
import { describeApi } from '../http/openapi/document.ts';
import { documentReply } from '../http/reply.ts';
import { ROUTES } from '../http/routes.ts';
import { RULES } from '../limits.ts';
import type { Admission } from '../pipeline/admission.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { createRedact } from '../pipeline/redaction.ts';
import type { ScanPool } from '../pipeline/scan-pool.ts';
import type { Waiters } from '../pipeline/waiters.ts';
import { createBulkOverride } from '../services/bulk-override.ts';
import { createDecisions } from '../services/decisions.ts';
import { createOpsLog } from '../services/ops-log.ts';
import { createProdCheck } from '../services/prod-check.ts';
import { createRfcs } from '../services/rfcs.ts';
import { createRulesDryRun } from '../services/rules-dry-run.ts';
import type { RulesKeeper } from '../services/rules-keeper.ts';
import { createStatusReport } from '../services/status.ts';
import { createTaskDesk } from '../services/tasks.ts';
import { createUsageLedger } from '../services/usage.ts';
import { type Pushes, pushesState } from './pushes.ts';
import { type OpenStore, ownVersion } from './store.ts';

/** What the use cases are made of. */
export interface Parts extends OpenStore {
  config: Config;
  admission: Admission;
  pool: ScanPool;
  pipeline: Pipeline;
  queue: Pushes;
  waiters: Waiters;
  keeper: RulesKeeper;
  /** Null: nobody can log in. */
  login: LoginOptions | null;
  /** Port that was bound, for links when no base URL is configured. */
  baseUrl(): string;
  isStopping(): boolean;
}

/** Services over the parts, and the handlers over the services. */
export function createHandlers(parts: Parts): Handlers {
  const { store, pushes, trail, desk, keeper, pipeline, admission, queue } = parts;
  const { analysis } = parts.pool;
  const now = () => new Date();
  const redact = createRedact({ admission, analysis, rules: keeper.source });
  const taskStore = {
    ...desk,
    findFindings: store.findFindings,
    listBlocked: trail.listBlocked,
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
      tasks: createTaskDesk(taskStore, Date.now),
      usage: createUsageLedger(desk, Date.now),
      status: createStatusReport(statusOf(parts)),
    }),
    ...createRulesHandlers(
      keeper,
      createRulesDryRun(keeper, { admission, analysis, store, withinMs: RULES.DRY_RUN_MS }),
      redact,
    ),
    ...createLoginHandlers(parts.login),
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
    oidc: () => (config.auth.oidc === null ? 'not configured' : 'up'),
  };
}
