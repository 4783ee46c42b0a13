import type { ScanAccess } from '../analysis/job.ts';
import type { LateReports } from '../analysis/late-reports.ts';
import type { Pipeline } from '../analysis/pipeline.ts';
import type { Waiters } from '../analysis/read-rfcs.ts';
import type { Rereviews } from '../analysis/rereview.ts';
import type { Reviewer } from '../analysis/review.ts';
import type { ScanPool } from '../analysis/scan-pool.ts';
import type { Authentication } from '../auth/authenticate.ts';
import type { DeployCheck } from '../deploys/deploy-check.ts';
import type { FindFreezes } from '../deploys/freezes.ts';
import type { DeployLedger } from '../deploys/ledger.ts';
import type { ScoreKeeper } from '../deploys/score-keeper.ts';
import type { EventOutbox } from '../events/outbox.ts';
import type { ProdJudge } from '../heads/prod-check.ts';
import type { LoginOptions } from '../http/api/login.ts';
import type { Admit } from '../http/server/admit.ts';
import type { HostCoverage } from '../model/coverage.ts';
import type { CraError } from '../model/errors.ts';
import type { QueueDepth } from '../model/push.ts';
import type { Intake } from '../pushes/intake.ts';
import type { PushTimes } from '../pushes/push-record.ts';
import type { PushRunner } from '../pushes/runner.ts';
import type { Outbox } from '../pushes/statuses/outbox.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PortOffer, ServiceThread } from '../rpc/thread.ts';
import type { RulesKeeper } from '../rulebook/rules-keeper.ts';
import type { StoreClients } from '../store/contract/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Readiness } from '../telemetry/readiness.ts';
import type { GitState } from '../telemetry/status.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Config } from './config/config.ts';
import type { DataDir } from './data-dir.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Settings of a daemon, and bounds that tests set; bounds of `limits.ts` otherwise. */
export interface DaemonOptions {
  config: Config;
  log: Logger;
  /** Called when the daemon cannot go on (a store thread was lost). */
  onFatal(error: CraError): void;
  /** Called when it should be stopped in order and started again. */
  onWornOut(): void;
  /** Resolves when it is asked to stop: a start that listens by then waits for no thread. */
  stopAsked?: Promise<unknown>;
  answerWithinMs?: number;
  attemptsMax?: number;
  threadOldSpaceMiB?: number;
  threadLossesMax?: number;
  pushTimes?: PushTimes;
  /** How long a review that failed waits until it is tried again. */
  reviewRetryMs?: number;
  /** False: drafts are left to the next start. */
  finishDrafts?: boolean;
  /** Where git is looked for: directories as in PATH; and how often, in ms. */
  gitPath?: string;
  gitLookMs?: number;
}

/** Parts that every other part is opened with. */
export interface Base extends DaemonOptions {
  lifecycle: Lifecycle;
  dataDir: DataDir;
  telemetry: Telemetry;
  /** Base of links: of the settings, or the bound port. Throws before the service listens. */
  baseUrl(): string;
}

/** Clients of the store, with either driver. */
export interface OpenStore extends StoreClients {
  /** The thread that answers reads; scan threads ask it, too. */
  reader: ServiceThread;
}

/** The mirrors of the Git hosts. */
export interface OpenGit {
  source: Client<typeof Source>;
  /** Serves a scan thread over the end of a channel that it offers; not at all without a git. */
  accept(offer: PortOffer): void;
  /** As the last look found it; down before the first one. */
  state(): GitState;
  /** Rejects when the thread cannot start. */
  ready: Promise<void>;
}

/** What is known of deploys, and the check before one. */
export interface Deploys {
  ledger: DeployLedger;
  findFreezes: FindFreezes;
  judging: ProdJudge;
  check: DeployCheck;
}

/** The path of a push, from the webhook to the status of the commit. */
export interface Pushes {
  /** Begins to process pushes, to sweep and to post statuses, which link to `baseUrl`. */
  start(): void;
  /** How the repositories of the configured owners are covered; null: of all tenants. */
  coverage(tenantId: string | null): HostCoverage[];
  intake: Intake;
  runner: PushRunner;
  outbox: Outbox;
  /** As counted last; null before the first count. */
  depth(): QueueDepth | null;
  /** Signed deliveries since the start that made no RFC. */
  ignored(): number;
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

/** All parts of a daemon, in the order in which they are opened. */
export interface Parts extends Base {
  stores: OpenStore;
  keeper: RulesKeeper;
  pool: ScanPool;
  scan: ScanAccess;
  git: OpenGit;
  waiters: Waiters;
  reviewer: Reviewer;
  late: LateReports;
  pipeline: Pipeline;
  deploys: Deploys;
  pushes: Pushes;
  events: EventOutbox;
  rereviews: Rereviews;
  scores: ScoreKeeper;
  access: Access;
  readiness: Readiness;
  isStopping(): boolean;
}
