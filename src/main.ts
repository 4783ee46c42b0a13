import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createPasswordCheck } from './auth/admin-password.ts';
import { createAuthenticate, type JwtCheck } from './auth/authenticate.ts';
import { createFailedAttempts } from './auth/failed-attempts.ts';
import { createJwtCheck } from './auth/oidc.ts';
import { createOidcLogin } from './auth/oidc-login.ts';
import { createTransactionSeal } from './auth/oidc-transaction.ts';
import { createOneTimeLink } from './auth/one-time-link.ts';
import { createSessions } from './auth/sessions.ts';
import { applyLibrarySettings, type Config } from './config.ts';
import { createSocketDir, type Keys, openDataDir } from './data-dir.ts';
import type { CraError } from './domain/errors.ts';
import { defaultRules } from './gates/risk/rules/default.ts';
import { type Admit, createAdmit } from './http/admit.ts';
import { startHttpServer } from './http/app.ts';
import { createDispatch, type Handlers } from './http/dispatch.ts';
import { createDecisionHandlers, type DecisionServices } from './http/handlers-decisions.ts';
import { createLoginHandlers, type LoginOptions } from './http/handlers-login.ts';
import { createRfcHandlers, healthReply } from './http/handlers-rfc.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { AUTH, PIPELINE } from './limits.ts';
import type { Logger } from './observability/logger.ts';
import { createAdmission } from './pipeline/admission.ts';
import type { RulesSource } from './pipeline/job.ts';
import { createPipeline, type Pipeline } from './pipeline/pipeline.ts';
import { createRedact, type RedactOptions } from './pipeline/redaction.ts';
import { type ScanPool, startScanPool } from './pipeline/scan-pool.ts';
import { createWaiters } from './pipeline/waiters.ts';
import { createClient } from './rpc/client.ts';
import { Records } from './rpc/contract.ts';
import { Sessions } from './rpc/sessions-contract.ts';
import { type ServiceThread, startServiceThread } from './rpc/thread.ts';
import { workerEntry } from './rpc/thread-entry.ts';
import { Trail } from './rpc/trail-contract.ts';
import { loadActiveRules } from './services/active-rules.ts';
import { createBulkOverride } from './services/bulk-override.ts';
import { createDecisions } from './services/decisions.ts';
import { createLoginTrail } from './services/login-trail.ts';
import { createOpsLog } from './services/ops-log.ts';
import { createRfcs } from './services/rfcs.ts';
import type { SessionStore, Store, TrailStore } from './store/store.ts';
import { createSessionStore, createStore, createTrailStore } from './store/store-client.ts';

/** A daemon that serves. */
export interface Daemon {
  readonly port: number;
  /** Pids of the child processes that run now. */
  childPids(): number[];
  /** Ids of the scan threads and how many have been replaced. */
  readonly threadsReplaced: number;
  /** Stops in order; resolves with the exit code. */
  stop(): Promise<number>;
}

export interface DaemonOptions {
  config: Config;
  log: Logger;
  /** Called when the daemon cannot go on (a store thread was lost). */
  onFatal(error: CraError): void;
  /** Called when it should be stopped in order and started again. */
  onWornOut(): void;
  /** Given the address that lets an admin in once, if there is no other way in. */
  onLoginLink?(url: string): void;
  /** Bounds that tests set; `limits.ts` otherwise. */
  answerWithinMs?: number;
  attemptsMax?: number;
  threadOldSpaceMiB?: number;
  threadLossesMax?: number;
  /** False: drafts are left to the next start. */
  finishDrafts?: boolean;
}

/**
 * Composition root: settings -> store -> rules -> scan pool -> pipeline -> front door. Rejects
 * with a CraError that says what is wrong with the settings or the machine; what was started by
 * then is stopped again.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { log } = options;
  const lifecycle = createLifecycle({
    onStep(step, error) {
      if (error === null) log.debug({ step }, 'stopped');
      else log.error({ step, err: error }, 'stop failed');
    },
  });
  try {
    return await start(options, lifecycle);
  } catch (thrown) {
    await lifecycle.stop();
    throw thrown;
  }
}

async function start(options: DaemonOptions, lifecycle: Lifecycle): Promise<Daemon> {
  const { config, log } = options;
  applyLibrarySettings();
  const keys = openDataDir(config.dataDir);
  const starting = startStore(config.dataDir, keys, lifecycle, options.onFatal);
  const loading = loadActiveRules(config.rulesPath, defaultRules);
  // Both end before a failure of one is told: nothing is left half started.
  await Promise.allSettled([starting, loading]);
  const { store, trail, sessionStore, reader } = await starting;
  const rules = await loading;
  const pool = openPool(options, keys, rules, reader, lifecycle);
  await pool.ready;
  const waiters = createWaiters();
  const shared = {
    admission: createAdmission(config.threads),
    analysis: pool.analysis,
    rules,
    now: () => new Date(),
  };
  const pipeline = createPipeline({
    ...shared,
    store,
    waiters,
    answerWithinMs: options.answerWithinMs ?? PIPELINE.ANSWER_WITHIN_MS,
    attemptsMax: options.attemptsMax ?? PIPELINE.ATTEMPTS_MAX,
    finishDrafts: options.finishDrafts ?? true,
    onBackgroundError: (error, rfcId) => log.error({ err: error, rfcId }, 'draft not finished'),
  });
  const { admit, login } = openDoor(options, sessionStore, trail);
  const handlers: Handlers = {
    ...createRfcHandlers(pipeline, createRfcs(store, waiters)),
    ...createDecisionHandlers(openDecisions({ ...shared, trail, pipeline })),
    ...createLoginHandlers(login),
    health: () => Promise.resolve(healthReply(http.isStopping)),
  };
  const http = await startHttpServer({
    host: config.host,
    port: config.port,
    trustsProxy: config.trustsProxy,
    dispatch: createDispatch(handlers, admit),
    onError: (error, request) => log.error({ err: error, ...request }, 'request failed'),
  });
  lifecycle.onStop('http connections', http.close);
  lifecycle.onStop('drafts', pipeline.stop);
  lifecycle.onStop('requests', http.drain);
  lifecycle.onStop('waiters', waiters.close);
  pipeline.resumeDrafts();
  return {
    port: http.port,
    childPids: pool.childPids,
    get threadsReplaced() {
      return pool.replaced;
    },
    stop: lifecycle.stop,
  };
}

/** What decides and writes to the trail. */
function openDecisions(
  options: RedactOptions & { trail: TrailStore; pipeline: Pipeline; now(): Date },
): DecisionServices {
  const { trail, pipeline, now } = options;
  const redact = createRedact(options);
  return {
    decisions: createDecisions({ trail, pipeline, redact, now }),
    bulkOverride: createBulkOverride({ trail, pipeline, redact, now }),
    opsLog: createOpsLog({ trail, redact }),
  };
}

/** Who gets in and how, and the log of who did not. */
function openDoor(
  options: DaemonOptions,
  store: SessionStore,
  trail: TrailStore,
): { admit: Admit; login: LoginOptions | null } {
  const { auth } = options.config;
  const { log } = options;
  const now = Date.now;
  const checkJwt =
    auth.oidc === null
      ? null
      : createJwtCheck({
          ...auth.oidc,
          now,
          onProblem: (reason) => log.warn({ reason }, 'the keys of the OIDC issuer were not had'),
        });
  const failures = createFailedAttempts({
    now,
    attemptsMax: AUTH.FAILURES_MAX,
    windowMs: AUTH.FAILURES_WINDOW_MS,
  });
  const isSecure = auth.login?.baseUrl.startsWith('https:') ?? true;
  const sessions = auth.login === null ? null : createSessions({ store, now, isSecure });
  const admit = createAdmit({
    authenticate: createAuthenticate({ ...auth, checkJwt, findSession: sessions?.find ?? null }),
    ownOrigin: auth.login?.baseUrl ?? null,
    failedAttempts: failures,
    onRefused({ code, reason, principalId }, { id, method, path, remoteAddress }) {
      log.info({ code, reason, principalId, id, method, path, remoteAddress }, 'refused');
    },
  });
  const tell = createLoginTrail(trail, (error) => log.error({ err: error }, 'login not in trail'));
  const onEvent: LoginOptions['onEvent'] = (event) => {
    const { principal, ...rest } = event;
    log.info({ ...rest, principalId: principal?.id ?? null }, event.event);
    tell(event);
  };
  const ways = sessions === null ? null : openWays(options, checkJwt);
  return { admit, login: sessions && ways && { ...ways, sessions, failures, onEvent } };
}

/** The ways to log in that are configured; else the link. */
function openWays(
  { config, onLoginLink }: DaemonOptions,
  checkJwt: JwtCheck | null,
): Omit<LoginOptions, 'sessions' | 'failures' | 'onEvent'> | null {
  const { login, oidc } = config.auth;
  if (login === null) return null;
  const { baseUrl, client, passwordHash, sessionSecret } = login;
  const now = Date.now;
  const hasIssuer = client !== null && oidc !== null && checkJwt !== null;
  const link = hasIssuer || passwordHash !== null ? null : createOneTimeLink(now);
  if (link !== null) onLoginLink?.(`${baseUrl}/api/cra/auth/login?link=${link.token}`);
  return {
    oidc: hasIssuer
      ? createOidcLogin({
          ...client,
          issuer: oidc.issuer,
          baseUrl,
          checkJwt,
          seal: createTransactionSeal(sessionSecret ?? randomBytes(32).toString('hex'), now),
          now,
        })
      : null,
    password: passwordHash === null ? null : createPasswordCheck(passwordHash),
    link,
    attempts: createFailedAttempts({
      now,
      attemptsMax: AUTH.PASSWORD_FAILURES,
      windowMs: AUTH.PASSWORD_WINDOW_MS,
    }),
    ownOrigin: baseUrl,
  };
}

async function startStore(
  dataDir: string,
  keys: Keys,
  lifecycle: Lifecycle,
  onFatal: (error: CraError) => void,
): Promise<{
  store: Store;
  trail: TrailStore;
  sessionStore: SessionStore;
  reader: ServiceThread;
}> {
  const version = ownVersion();
  const open = async (role: 'writer' | 'reader') => {
    const thread = startServiceThread({
      entry: workerEntry('store'),
      workerData: { role, dataDir, checkpointSeed: keys.checkpoint, version },
      onLost: onFatal,
    });
    await thread.ready;
    lifecycle.onStop(`store ${role}`, thread.close);
    return thread;
  };
  // The writer takes the lock and migrates; the reader reads what is there then.
  const writer = await open('writer');
  const reader = await open('reader');
  return {
    store: createStore({
      writer: createClient(Records, writer),
      reader: createClient(Records, reader),
    }),
    trail: createTrailStore({
      writer: createClient(Trail, writer),
      reader: createClient(Trail, reader),
    }),
    sessionStore: createSessionStore({
      writer: createClient(Sessions, writer),
      reader: createClient(Sessions, reader),
    }),
    reader,
  };
}

/** The version in package.json, which stands above the compiled files. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function openPool(
  options: DaemonOptions,
  keys: Keys,
  rules: RulesSource,
  reader: ServiceThread,
  lifecycle: Lifecycle,
): ScanPool {
  const { config, log } = options;
  const lossesMax = options.threadLossesMax ?? PIPELINE.THREAD_LOSSES_MAX;
  const sockets = createSocketDir(config.dataDir);
  lifecycle.onStop('sockets', sockets.remove);
  const pool = startScanPool({
    threads: config.threads,
    oldSpaceMiB: options.threadOldSpaceMiB ?? PIPELINE.THREAD_OLD_SPACE_MIB,
    data: {
      fingerprintKey: keys.fingerprint,
      sealKey: keys.seal,
      socketDir: sockets.path,
    },
    rules,
    onThreadLost(losses) {
      log.error({ losses }, 'a scan thread was lost and replaced');
      if (losses >= lossesMax) options.onWornOut();
    },
    onStoreOffer: reader.accept,
    onChildExit: ({ pid, code, signal }) =>
      log.warn({ childPid: pid, code, signal }, 'AST child ended'),
  });
  lifecycle.onStop('scan pool', pool.close);
  return pool;
}
