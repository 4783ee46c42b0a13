import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRedact, type Redact } from '../analysis/job.ts';
import type { Pipeline } from '../analysis/pipeline.ts';
import { createCodeReader, createRfcs, type Waiters } from '../analysis/read-rfcs.ts';
import type { Rereviews } from '../analysis/rereview.ts';
import type { Reviewer } from '../analysis/review.ts';
import type { Admission, ScanPool } from '../analysis/scan-pool.ts';
import { type Authentication, createAuthentication, type JwtCheck } from '../auth/authenticate.ts';
import { AUTH } from '../auth/limits.ts';
import {
  createFailedAttempts,
  createLoginTrail,
  createOneTimeLink,
  createPasswordCheck,
  type OneTimeLink,
} from '../auth/login.ts';
import { createIssuerKeys, createJwtCheck } from '../auth/oidc.ts';
import { createOidcLogin, createTransactionSeal, type OidcLogin } from '../auth/oidc-login.ts';
import { createSessions } from '../auth/sessions.ts';
import { isLoopback } from '../core/credentials.ts';
import { createBulkOverride } from '../decisions/bulk-override.ts';
import { createDecisions } from '../decisions/decisions.ts';
import { createAskReview, createRemarks } from '../decisions/remarks.ts';
import { createOpsLog, createPreReceive, createTrailReads } from '../decisions/trail.ts';
import { createProdCheck } from '../heads/prod-check.ts';
import type { Handlers } from '../http/api/all-routes.ts';
import { createOpsLogHandlers, createTrailHandlers } from '../http/api/audit.ts';
import { createDashboardHandlers, createPulseHandlers, openAssets } from '../http/api/dashboard.ts';
import { createBulkOverrideHandlers, createDecisionHandlers } from '../http/api/decisions.ts';
import { createLoginHandlers, type LoginOptions } from '../http/api/login.ts';
import { createPreReceiveHandlers, createWebhookHandlers } from '../http/api/pushes.ts';
import { createRemarkHandlers, createReviewHandlers } from '../http/api/remarks.ts';
import {
  createAnalyzeHandlers,
  createProdCheckHandlers,
  createRfcHandlers,
} from '../http/api/rfc.ts';
import { createRulesHandlers } from '../http/api/rules.ts';
import { createStatusHandlers } from '../http/api/status.ts';
import { createTaskHandlers } from '../http/api/tasks.ts';
import { createStatsHandlers, createUsageHandlers } from '../http/api/usage.ts';
import { type Admit, createAdmit } from '../http/server/admit.ts';
import { idsOf } from '../http/server/request-headers.ts';
import { RULES } from '../model/limits.ts';
import { createJudgeAgain } from '../pushes/judge-again.ts';
import { createRulesDryRun } from '../rulebook/rules-dry-run.ts';
import type { RulesKeeper } from '../rulebook/rules-keeper.ts';
import type { SessionStore } from '../store/contract/store.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { createTaskQueue } from '../tasks/tasks.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createStatusReport } from '../telemetry/status.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { createUsageLedger } from '../usage/usage.ts';
import type { Config } from './config/config.ts';
import type { LoginConfig } from './config/login.ts';
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
  /** Signs what callers bring back. */
  signingKey: Uint8Array;
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
    () => ({ pipeline: keeper.source.rules.pipeline, baseUrl: parts.baseUrl() }),
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
  const { fourEyes, agentCeilings } = parts.config.auth;
  const deciding = {
    trail,
    pipeline: jobs,
    redact,
    fourEyes,
    agentCeilings,
    rules: keeper.source,
    now,
    baseUrl: parts.baseUrl,
  };
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
      emergencies: (tenant_id) => trail.countEmergencies({ tenant_id }),
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
    ...createDecisionHandlers(createDecisions(deciding)),
    ...createReviewHandlers(
      createAskReview({
        store,
        trail,
        reviewer: parts.reviewer,
        rereviews,
        fourEyes,
        redact,
        now,
      }),
    ),
    ...createBulkOverrideHandlers(
      createBulkOverride({ ...deciding, signingKey: parts.signingKey }),
    ),
    ...createRemarkHandlers(createRemarks({ trail, redact, now })),
    ...createTrailHandlers(createTrailReads(trail)),
    ...createOpsLogHandlers(createOpsLog({ trail, redact })),
    ...preReceive(parts, redact),
    ...createProdCheckHandlers(prodCheckOf(parts)),
    ...createTaskHandlers(createTaskQueue(taskStore, Date.now)),
    ...createUsageHandlers(createUsageLedger(usage, Date.now), redact),
    ...createStatsHandlers(rfcs),
    ...createRulesHandlers(
      keeper,
      createRulesDryRun(keeper, {
        admission,
        analysis,
        store,
        withinMs: RULES.DRY_RUN_MS,
        pushAgain: createJudgeAgain({
          source: queue.source,
          analysis,
          pushes,
          store,
          earlier: keeper.earlierMap,
        }),
      }),
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

function prodCheckOf({ pushes, trail, store, keeper, baseUrl }: Parts) {
  const stores = { pushes, trail, records: store };
  return createProdCheck(stores, baseUrl, () => keeper.source.rules, keeper.earlierMap);
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

/** The authentication of requests, and the login of browsers. */
export interface Access {
  admit: Admit;
  may: Authentication['may'];
  /** Whether the keys of the issuer can be fetched; null: there is no issuer. */
  issuer: (() => Promise<boolean>) | null;
  /** Null: logging in is not configured. */
  login: LoginOptions | null;
}

interface AccessOptions {
  config: Pick<Config, 'auth' | 'host' | 'baseUrl' | 'dataDir'>;
  sessionStore: SessionStore;
  trail: Pick<TrailStore, 'appendEvent'>;
  log: Logger;
  baseUrl(): string;
}

/** Creates the authentication of requests, which logs refusals, and the login of browsers. */
export function createAccess({ config, sessionStore, trail, log, baseUrl }: AccessOptions): Access {
  const { auth } = config;
  const now = Date.now;
  const oidc = auth.oidc === null ? null : openIssuer(auth.oidc, log);
  const checkJwt = oidc?.checkJwt ?? null;
  const issuer = oidc?.isReachable ?? null;
  const failures = createFailedAttempts({
    now,
    attemptsMax: AUTH.FAILURES_MAX,
    windowMs: AUTH.FAILURES_WINDOW_MS,
  });
  const { login } = auth;
  const isSecure = login?.baseUrl.startsWith('https:') ?? true;
  const sessions = login === null ? null : createSessions({ store: sessionStore, now, isSecure });
  const findSession = sessions?.find ?? null;
  const authentication = createAuthentication({ ...auth, checkJwt, findSession });
  const { may } = authentication;
  const admit = createAdmit({
    authentication,
    ownOrigin: login?.baseUrl ?? null,
    baseUrl,
    ownHosts: ownHosts(config),
    failedAttempts: failures,
    onRefused({ code, reason, principalId, isFailedAttempt }, request) {
      const { method, path, remoteAddress, headers } = request;
      const ids = idsOf(request.id, headers);
      // Requests without a credential are unlimited and must not fill the log.
      const level = isFailedAttempt || principalId !== null ? 'info' : 'debug';
      log[level]({ code, reason, principalId, ...ids, method, path, remoteAddress }, 'refused');
    },
    onIgnored({ reason, principalId }, { id, method, path, remoteAddress, headers }) {
      const known = { reason, principalId, ...idsOf(id, headers), method, path, remoteAddress };
      log.info(known, 'credential ignored: authentication is switched off');
    },
  });
  if (login === null || sessions === null) return { admit, may, issuer, login: null };
  const onEvent = createLoginEvents(trail, log);
  const ways = openWays(login, auth.oidc, checkJwt, () =>
    rmSync(linkFile(config.dataDir), { force: true }),
  );
  return { admit, may, issuer, login: { ...ways, sessions, failures, onEvent } };
}

/** The check of access tokens, and the keys of the issuer that it needs. */
function openIssuer(oidc: NonNullable<Config['auth']['oidc']>, log: Logger) {
  const options = {
    ...oidc,
    now: Date.now,
    onProblem: (reason: string) => log.warn({ reason }, 'could not fetch the OIDC signing keys'),
  };
  const keys = createIssuerKeys(options);
  return { checkJwt: createJwtCheck(options, keys), isReachable: keys.isReachable };
}

/**
 * The Host values that a service without authentication on loopback accepts. Another site can
 * point its own name to 127.0.0.1 (DNS rebinding) and would then have the same origin as the
 * service. Null: all names are accepted.
 */
function ownHosts({ auth, host, baseUrl }: AccessOptions['config']): ReadonlySet<string> | null {
  const bound = host.includes(':') ? `[${host}]` : host;
  if (auth.isEnabled || !isLoopback(bound)) return null;
  const named = baseUrl === null ? [] : [new URL(baseUrl).hostname];
  return new Set(['localhost', '127.0.0.1', '[::1]', bound, ...named]);
}

type Ways = Omit<LoginOptions, 'sessions' | 'failures' | 'onEvent'>;

const now = Date.now;

/**
 * The ways to log in that are configured; without one, a link that is valid once, in a file of
 * the data directory that `onLinkUsed` removes.
 */
function openWays(
  { baseUrl, client, passwordHash, sessionSecret }: LoginConfig,
  issuer: Config['auth']['oidc'],
  checkJwt: JwtCheck | null,
  onLinkUsed: () => void,
): Ways {
  const secret = sessionSecret ?? randomBytes(32).toString('hex');
  const oidc: OidcLogin | null =
    client === null || issuer === null || checkJwt === null
      ? null
      : createOidcLogin({
          ...client,
          issuer: issuer.issuer,
          baseUrl,
          checkJwt,
          seal: createTransactionSeal(secret, now),
          now,
        });
  return {
    oidc,
    password: passwordHash === null ? null : createPasswordCheck(passwordHash),
    link: oidc === null && passwordHash === null ? createOneTimeLink(now, onLinkUsed) : null,
    attempts: createFailedAttempts({
      now,
      attemptsMax: AUTH.PASSWORD_FAILURES,
      windowMs: AUTH.PASSWORD_WINDOW_MS,
    }),
    ownOrigin: baseUrl,
  };
}

/** Writes logins to the log and to the audit trail. */
function createLoginEvents(
  trail: Pick<TrailStore, 'appendEvent'>,
  log: Logger,
): LoginOptions['onEvent'] {
  const record = createLoginTrail({
    trail,
    now,
    onError: (error) => log.error({ err: error }, 'a login is not in the audit trail'),
  });
  return (event) => {
    const { principal, ...rest } = event;
    log.info({ ...rest, principalId: principal?.id ?? null }, event.event);
    record(event);
  };
}

/** The file with the one-time link of a data directory. */
export function linkFile(dataDir: string): string {
  return join(dataDir, 'login-link');
}

/** Writes the link to a file (0600), and only the path to the log, which more people read. */
export function offerLink(link: OneTimeLink, baseUrl: string, path: string, log: Logger): void {
  rmSync(path, { force: true });
  const address = `${baseUrl}/api/cra/auth/login?link=${link.token}`;
  writeFileSync(path, `${address}\n`, { flag: 'wx', mode: 0o600 });
  const minutes = AUTH.ONE_TIME_LINK_MS / 60_000;
  log.warn({ path }, `open the link in this file within ${minutes} minutes to log in as the admin`);
}
