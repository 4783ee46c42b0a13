import {
  type Clock,
  createPause,
  createRateLimiter,
  systemClock,
  takeTurn,
} from '../core/rate-limit.ts';
import type { ProdDecision } from '../heads/prod-check.ts';
import { type DeployReview, type DeployRuns, openDeployRuns } from '../hosts/deploy-runs.ts';
import { codeSpan, cutText } from '../hosts/markdown.ts';
import type { DeployRequest, VcsHost } from '../hosts/settings.ts';
import { type DeployParts, ENVIRONMENT } from '../model/deploy.ts';
import { CraError, unlessNotFound } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';

const SECOND_MS = 1000;

/** Bounds of the answers to hosts that ask about deploys. */
const DEPLOY_ANSWERS = {
  CALL_DEADLINE_MS: 20 * SECOND_MS,
  /** Calls of one host at once, and how many more a minute; rounds have a budget of their own. */
  BURST_MAX: 10,
  REFILL_PER_MINUTE: 30,
  /** Questions of one host that wait for a verdict. */
  ASKED_MAX: 200,
  /** GitHub fails a job that waits longer. */
  ASKED_FOR_MS: 30 * 24 * 3_600 * SECOND_MS,
  /** Runs and environments that a round does not ask about again. */
  SETTLED_MAX: 10_000,
  /** Of the reason in a comment. Code points. */
  REASON_CHARS_MAX: 1_000,
} as const;

/**
 * Answers GitHub's custom deployment protection rule by `prod-check` of the environment and commit.
 * Nothing is answered while a verdict is missing: GitHub waits. Questions are kept in memory until
 * then; rounds find a job that waits after a restart, or whose event was lost.
 */
export interface DeployAnswers {
  /** Answers soon, or once a verdict is there. */
  ask(host: VcsHost, request: DeployRequest): void;
  /** A verdict may have come, or a host may be back. */
  wake(): void;
  /**
   * Answers the jobs of a repository that wait. Throws UNAVAILABLE and UNAUTHENTICATED, as `Read`
   * does.
   */
  lookAt(host: VcsHost, repo: string, round: Round): Promise<void>;
  /** Resolves when all questions of now were looked at. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface DeployAnswersOptions {
  hosts: readonly VcsHost[];
  /** `prod-check` of an environment. */
  check: Check;
  onAnswered(answered: Answered): void;
  onError(error: CraError, host: string): void;
  clock?: Clock;
}

/** A round over repositories, with a budget of its own. */
interface Round {
  runs: DeployRuns;
  signal: AbortSignal;
}

/** Rejects with NOT_FOUND when no RFC names the commit. */
type Check = (
  principal: Principal,
  question: Record<'repo' | 'environment' | 'sha', string> & { branch: null; component: null },
) => Promise<Decision>;
type Decision = ProdDecision & { deploy: DeployParts };

/** An answer that a host took. */
export interface Answered {
  host: string;
  repo: string;
  environment: string;
  sha: string;
  runId: string;
  state: DeployReview['state'];
}

/** Creates it; it calls only hosts that have an App. */
export function createDeployAnswers(options: DeployAnswersOptions): DeployAnswers {
  const { check, onAnswered } = options;
  const lanes = new Map(
    options.hosts.flatMap((host) => {
      const lane = createLane(host);
      return lane === null ? [] : [[host.id, lane] as const];
    }),
  );

  /** Whether it is settled; false: a verdict is missing. */
  async function answer(
    host: VcsHost,
    request: Omit<DeployRequest, 'origin'>,
    runs: DeployRuns,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { repoFullName: repo, environment, sha, runId } = request;
    const review = await reviewOf(host, request, check);
    if (review === null) return false;
    signal.throwIfAborted();
    const outcome = await runs.review(repo, runId, { environment, ...review }, signal);
    if (outcome === 'taken') {
      onAnswered({ host: host.id, repo, environment, sha, runId, state: review.state });
    }
    return true;
  }

  function createLane(host: VcsHost) {
    const { clock = systemClock } = options;
    const stopping = new AbortController();
    const { signal } = stopping;
    const pause = createPause(clock);
    const budget = createRateLimiter({ ...BUDGET, now: clock.now });
    const opened = openDeployRuns(host, {
      deadlineMs: DEPLOY_ANSWERS.CALL_DEADLINE_MS,
      now: clock.now,
      turn: () => takeTurn(budget, host.id, pause, signal),
    });
    if (opened === null) return null;
    const runs = opened;
    /** What rounds have answered, and what is not ours to answer. */
    const settledRuns = new Set<string>();
    /** The oldest first. */
    const asked = new Map<string, { request: DeployRequest; at: number }>();
    /** The host asked to be left alone until then, ms since the epoch. */
    let restsUntil = 0;
    /** The last failure: while it lasts it is reported once. */
    let failure: string | null = null;
    let pass: Promise<void> = Promise.resolve();
    let isQueued = false;

    function fail(thrown: unknown): void {
      const error = CraError.fromUnknown(thrown);
      if (failure !== error.message && !signal.aborted) options.onError(error, host.id);
      failure = error.message;
      restsUntil = Math.max(restsUntil, clock.now() + Number(error.details['waitMs'] ?? 0));
    }

    async function answerAll(): Promise<void> {
      isQueued = false;
      for (const [key, entry] of [...asked]) {
        if (signal.aborted || clock.now() < restsUntil) return;
        try {
          const isOld = clock.now() - entry.at > DEPLOY_ANSWERS.ASKED_FOR_MS;
          const isSettled = isOld || (await answer(host, entry.request, runs, signal));
          failure = null;
          if (isSettled && asked.get(key) === entry) asked.delete(key);
        } catch (thrown) {
          fail(thrown);
        }
      }
    }

    async function answerWaiting(repo: string, round: Round): Promise<void> {
      const { runs: waiting, isWhole } = await round.runs.waiting(repo, round.signal);
      for (const { runId, attempt, sha } of waiting) {
        for (const environment of await round.runs.environments(repo, runId, round.signal)) {
          const key = [repo, runId, attempt, environment].join(' ');
          const request = { repoFullName: repo, environment, sha, runId };
          const { runs: own, signal: ends } = round;
          if (settledRuns.has(key) || !(await answer(host, request, own, ends))) continue;
          if (settledRuns.size >= DEPLOY_ANSWERS.SETTLED_MAX) settledRuns.clear();
          settledRuns.add(key);
        }
      }
      if (!isWhole) throw new CraError('RESOURCE_EXHAUSTED', `${repo}: ${TOO_MANY_RUNS}`);
    }

    function queue(): void {
      if (isQueued || asked.size === 0) return;
      isQueued = true;
      pass = pass.then(answerAll);
    }

    return {
      ask(request: DeployRequest) {
        const { repoFullName, runId, environment } = request;
        const key = [repoFullName.toLowerCase(), runId, environment].join(' ');
        asked.delete(key);
        asked.set(key, { request, at: clock.now() });
        const [oldest] = asked.keys();
        if (asked.size > DEPLOY_ANSWERS.ASKED_MAX && oldest !== undefined) {
          asked.delete(oldest);
          fail(new CraError('RESOURCE_EXHAUSTED', TOO_MANY));
        }
        queue();
      },
      queue,
      /** What only this repository has caused must not end a round. */
      async lookAt(repo: string, round: Round) {
        try {
          await answerWaiting(repo, round);
        } catch (thrown) {
          if (!(thrown instanceof CraError) || OF_HOST.has(thrown.code)) throw thrown;
          fail(thrown);
        }
      },
      settled: () => pass,
      async stop() {
        stopping.abort();
        pause.wake();
        await pass;
      },
    };
  }

  return {
    ask: (host, request) => lanes.get(host.id)?.ask(request),
    wake() {
      for (const { queue } of lanes.values()) queue();
    },
    async lookAt(host, repo, round) {
      await lanes.get(host.id)?.lookAt(repo, round);
    },
    async settled() {
      await Promise.all([...lanes.values()].map((lane) => lane.settled()));
    },
    async stop() {
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },
  };
}

/** BURST_MAX calls at once, and REFILL_PER_MINUTE more each minute. */
const BUDGET = {
  max: DEPLOY_ANSWERS.BURST_MAX,
  windowMs: (60_000 * DEPLOY_ANSWERS.BURST_MAX) / DEPLOY_ANSWERS.REFILL_PER_MINUTE,
  keysMax: 1,
};

const TOO_MANY = `more than ${DEPLOY_ANSWERS.ASKED_MAX} deploys wait for verdicts: rounds answer the oldest`;
const TOO_MANY_RUNS = 'more runs wait than one round looks at';

/** Errors about the host as a whole. */
const OF_HOST: ReadonlySet<string> = new Set(['UNAVAILABLE', 'UNAUTHENTICATED']);

/** The answer by the verdict; null: it is missing yet. */
async function reviewOf(
  host: VcsHost,
  { repoFullName: repo, environment, sha }: Omit<DeployRequest, 'origin'>,
  check: Check,
): Promise<Omit<DeployReview, 'environment'> | null> {
  if (!isKnownName(environment)) return { state: 'rejected', comment: UNKNOWN_NAME };
  const question = { repo, environment, branch: null, sha, component: null };
  const decision = await check(principalOf(host), question).catch(unlessNotFound);
  if (decision === null || isAwaited(decision)) return null;
  const { allowed, reason, approveUrl } = decision;
  const why = codeSpan(cutText(reason, DEPLOY_ANSWERS.REASON_CHARS_MAX));
  return { state: allowed ? 'approved' : 'rejected', comment: `${why} ${approveUrl}` };
}

/** Something that holds it is still to be judged. */
function isAwaited({ deploy: { holds } }: Decision): boolean {
  return holds.some(({ kind }) => kind === 'waiting');
}

function isKnownName(environment: string): boolean {
  return environment.length <= ENVIRONMENT.maxLength && NAME_OF_ENVIRONMENT.test(environment);
}

const NAME_OF_ENVIRONMENT = new RegExp(ENVIRONMENT.pattern, 'u');
const UNKNOWN_NAME = `The name of this environment has more than ${ENVIRONMENT.maxLength} characters, or characters that nobody sees: no deploy of it can be judged.`;

function principalOf({ id, tenantId }: VcsHost): Principal {
  return {
    id: `webhook:${id}`,
    name: null,
    credential: 'webhook',
    role: 'viewer',
    tenant_id: tenantId,
  };
}
