import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createAttachments } from '../analysis/attachments.ts';
import { createRedact, type Redact } from '../analysis/job.ts';
import { createCodeReader, createRfcs } from '../analysis/read-rfcs.ts';
import { createBoundCheck } from '../auth/access.ts';
import { createBulkOverride } from '../decisions/bulk-override.ts';
import { createDecisions } from '../decisions/decisions.ts';
import { createOpsLog } from '../decisions/ops-log.ts';
import { createPreReceive } from '../decisions/pre-receive.ts';
import { createAskReview, createRemarks } from '../decisions/remarks.ts';
import { createTrailReads } from '../decisions/trail-reads.ts';
import { createStatementSigner } from '../deploys/evidence/envelope.ts';
import { createEvidence } from '../deploys/evidence/evidence.ts';
import { createProdCheck } from '../heads/prod-check.ts';
import type { Handlers } from '../http/api/all-routes.ts';
import { createOpsLogHandlers, createTrailHandlers } from '../http/api/audit.ts';
import { createDashboardHandlers, createPulseHandlers, openAssets } from '../http/api/dashboard.ts';
import { createBulkOverrideHandlers, createDecisionHandlers } from '../http/api/decisions.ts';
import { createDeployHandlers } from '../http/api/deploys.ts';
import { createEventHandlers } from '../http/api/events.ts';
import { createEvidenceHandlers } from '../http/api/evidence.ts';
import { createHandbookHandlers } from '../http/api/handbook.ts';
import { createLoginHandlers } from '../http/api/login.ts';
import { createPreReceiveHandlers, createWebhookHandlers } from '../http/api/pushes.ts';
import { createRemarkHandlers, createReviewHandlers } from '../http/api/remarks.ts';
import {
  createAnalyzeHandlers,
  createProdCheckHandlers,
  createRfcHandlers,
} from '../http/api/rfc.ts';
import { createRulesHandlers } from '../http/api/rules.ts';
import { createScoreHandlers } from '../http/api/score.ts';
import { createStatusHandlers } from '../http/api/status.ts';
import { createTaskHandlers } from '../http/api/tasks.ts';
import { createStatsHandlers, createUsageHandlers } from '../http/api/usage.ts';
import { RULES } from '../model/limits.ts';
import { coverageCounts } from '../pushes/coverage.ts';
import { createRejudge } from '../pushes/rejudge.ts';
import { noteReports } from '../pushes/reported.ts';
import { createRulesDryRun } from '../rulebook/rules-dry-run.ts';
import { createTaskQueue } from '../tasks/tasks.ts';
import { createStatusReport } from '../telemetry/status.ts';
import { createUsageLedger } from '../usage/usage.ts';
import { ownVersion } from './data-dir.ts';
import { onVerdictRevised } from './gates.ts';
import type { Parts } from './parts.ts';
import { pushesState } from './pushes.ts';

/** The OpenAPI document, which `npm run openapi` writes. */
const API_DESCRIPTION = new URL('../../../docs/reference/openapi.json', import.meta.url);
const DASHBOARD = new URL('../../dashboard', import.meta.url);
const HANDBOOK = new URL('../../docs', import.meta.url);
/** Interval between reads of an RFC that another daemon may judge while a caller waits. */
const SHARED_POLL_MS = 2_000;

const now = () => new Date();

/** Creates the handlers of all routes, and the services that they call. */
export function createHandlers(parts: Parts): Handlers {
  const redact = createRedact(parts.scan);
  return {
    ...changeHandlers(parts),
    ...pushHandlers(parts, redact),
    ...decisionHandlers(parts, redact),
    ...trailHandlers(parts, redact),
    ...createScoreHandlers(parts.scores),
    ...createDeployHandlers(parts.deploys.ledger, createBoundCheck(parts.config.auth.tokenBounds)),
    ...workHandlers(parts, redact),
    ...rulesHandlers(parts, redact),
    ...serviceHandlers(parts),
  };
}

/** Analyze, and reads of RFCs. */
function changeHandlers(parts: Parts) {
  const { config, stores, scan, git, waiters, pipeline, pushes, keeper, baseUrl } = parts;
  const { store, trail } = stores;
  const attachments = createAttachments({
    ...scan,
    store,
    trail,
    source: git.source,
    baseUrl,
    requireBound: createBoundCheck(config.auth.tokenBounds),
    now,
    async onKept(draft) {
      if (draft.push === null) return pipeline.reported(draft);
      await noteReports(draft, { pushes: stores.pushes, store, now });
      pushes.runner.wake();
      pushes.outbox.wake();
    },
    onChanged: onVerdictRevised(parts),
  });
  const rfcs = createRfcs({
    store,
    pushes: stores.pushes,
    waiters,
    pollMs: config.store.kind === 'mongodb' ? SHARED_POLL_MS : null,
    means: () => ({ pipeline: keeper.source.rules.pipeline, baseUrl: baseUrl() }),
  });
  return {
    ...createAnalyzeHandlers(pipeline, attachments),
    ...createRfcHandlers(rfcs, createCodeReader({ ...scan, store, source: git.source })),
    ...createStatsHandlers(rfcs, createUsageLedger(stores.usage, Date.now), (tenantId) =>
      coverageCounts(pushes.coverage(tenantId)),
    ),
    ...createWebhookHandlers(rfcs.newestPush),
  };
}

function pushHandlers(
  { stores, scan, git, keeper, baseUrl, dataDir, access, deploys }: Parts,
  redact: Redact,
) {
  const { pushes, trail, store: records } = stores;
  const rules = () => keeper.source.rules;
  const prod = { pushes, trail, records };
  const { judging, ledger, check } = deploys;
  const evidence = createEvidence({
    records,
    trail,
    ...judging,
    range: { ...judging, source: git.source, pushes, records },
    ledger,
    signer: createStatementSigner(dataDir.keys.checkpoint),
    baseUrl,
    version: ownVersion(),
    now,
  });
  return {
    ...createEvidenceHandlers(evidence, access.may),
    ...createProdCheckHandlers(createProdCheck(prod, baseUrl, rules, keeper.earlierMap), check),
    ...createPreReceiveHandlers(createPreReceive({ ...scan, trail, redact, baseUrl })),
  };
}

function decisionHandlers(parts: Parts, redact: Redact) {
  const { config, dataDir, stores, keeper, pipeline, pushes, reviewer, rereviews, baseUrl } = parts;
  const { store, trail } = stores;
  const { fourEyes, agentCeilings } = config.auth;
  // A decision ends the job of its RFC, wherever that runs, and the Git host gets a new status.
  const jobs = {
    cancel(rfcId: string) {
      pipeline.cancel(rfcId);
      rereviews.cancel(rfcId);
      pushes.runner.cancel(rfcId);
      pushes.outbox.wake();
    },
  };
  const deciding = {
    trail,
    pipeline: jobs,
    redact,
    fourEyes,
    agentCeilings,
    rules: keeper.source,
    now,
    baseUrl,
  };
  const askReview = { store, trail, reviewer, rereviews, fourEyes, redact, now };
  const signingKey = dataDir.keys.fingerprint;
  return {
    ...createDecisionHandlers(createDecisions(deciding)),
    ...createBulkOverrideHandlers(createBulkOverride({ ...deciding, signingKey })),
    ...createReviewHandlers(createAskReview(askReview)),
    ...createRemarkHandlers(createRemarks({ trail, redact, now })),
  };
}

function trailHandlers({ stores: { trail } }: Parts, redact: Redact) {
  return {
    ...createTrailHandlers(createTrailReads(trail)),
    ...createOpsLogHandlers(createOpsLog({ trail, redact })),
  };
}

/** Tasks and usage. */
function workHandlers({ stores }: Parts, redact: Redact) {
  const { store, tasks, usage } = stores;
  const taskStore = { ...tasks, findFindings: store.findFindings, listRfcs: store.listRfcs };
  return {
    ...createTaskHandlers(createTaskQueue(taskStore, Date.now)),
    ...createUsageHandlers(createUsageLedger(usage, Date.now), redact),
  };
}

function rulesHandlers({ stores, scan, git, keeper }: Parts, redact: Redact) {
  const { admission, analysis, curvesFor } = scan;
  const { store, pushes } = stores;
  const pushAgain = createRejudge({
    source: git.source,
    analysis,
    curvesFor,
    pushes,
    store,
    earlier: keeper.earlierMap,
  });
  const dryRun = { admission, analysis, curvesFor, store, withinMs: RULES.DRY_RUN_MS, pushAgain };
  return createRulesHandlers(keeper, createRulesDryRun(keeper, dryRun), redact);
}

/** The state of the service, its page and its login. */
function serviceHandlers(parts: Parts) {
  const { config, telemetry, stores, pushes, access, readiness, isStopping } = parts;
  const { store, trail } = stores;
  const { login, may } = access;
  const report = createStatusReport(statusOf(parts));
  const assets = openAssets(fileURLToPath(DASHBOARD));
  return {
    ...createEventHandlers(parts.events, stores.events, Date.now),
    ...createStatusHandlers(
      report,
      telemetry,
      readiness,
      isStopping,
      pushes.coverage,
      readFileSync(API_DESCRIPTION, 'utf8'),
    ),
    ...createPulseHandlers({
      counts: (tenant_id, most) => store.pulse({ tenant_id, most }),
      emergencies: (tenant_id) => trail.countEmergencies({ tenant_id }),
      state: store.getState,
      pushesWaiting: () => pushes.depth()?.open ?? null,
      parts: async () => ({ ...(await report()) }),
      version: ownVersion(),
      now: () => performance.now(),
    }),
    ...createLoginHandlers(login, assets.stylesheet),
    ...createHandbookHandlers(fileURLToPath(HANDBOOK)),
    ...createDashboardHandlers({
      assets,
      may,
      ...config.auth,
      isAuthEnabled: config.auth.isEnabled,
      hosts: config.vcs?.hosts ?? [],
      sessions: login?.sessions ?? null,
    }),
  };
}

function statusOf(parts: Parts): Parameters<typeof createStatusReport>[0] {
  const { config, stores, scan, pool, pipeline, keeper, pushes, access } = parts;
  return {
    version: ownVersion(),
    startedAt: new Date().toISOString(),
    driver: config.store.kind,
    store: stores.store,
    trail: stores.trail,
    admission: scan.admission,
    draftsHere: () => pipeline.draftsRunning,
    pushes: () => pushesState(pushes, config.vcs),
    git: parts.git.state,
    events: () => parts.events.state(null),
    threads: config.threads,
    pool,
    rules: keeper.state.bind(keeper),
    reviewer: parts.reviewer,
    laterReviews: parts.rereviews,
    issuer: access.issuer,
  };
}
