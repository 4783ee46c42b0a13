import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ServedDaemon } from '../../../bench/daemon/served-daemon.ts';
import type { Random } from '../../../bench/random.ts';
import { newFile } from '../../daemon.ts';
import { AWS_KEY, EXTRA_RULE } from '../../decision-calls.ts';

const DAY_MS = 86_400_000;
/** How far the clock goes back before the start of the proof, and ahead of it, days. */
const SPAN_DAYS = [-5, 25] as const;
const REVIEW_DAYS = 2;
const ANSWER_MS_MAX = 120_000;
/** After so long without the store it is asked whether it hangs by itself. */
const AWAY_MS_MAX = 40_000;
const REPEAT_AFTER_MS = 200;
const REASON = { actor: 'ann', reason: 'a made up key' };

/** The clock of the daemon and of its store; times in ms since the epoch. */
export interface SteppedClock {
  now(): number;
  /** It stands at this time, where the store bears that; else as `go`. */
  freeze(ms: number): void;
  /** It goes on from this time. */
  go(ms: number): void;
}

interface ClockOptions {
  clock: SteppedClock;
  random: Random;
  /** Starts the daemon under that clock. */
  start(): Promise<ServedDaemon>;
  /** Starts the store again if it hangs by itself: whether it did. Null: it cannot. */
  revive: (() => Promise<boolean>) | null;
  progress(text: string): void;
}

/** A time as the service writes it. */
export const iso = (ms: number) => new Date(ms).toISOString();

/** What ends, and the RFC that says so; '': no RFC does. */
interface Ending {
  rfcId: string;
  endMs: number;
}

/** A repository, what accepts its finding, and whether its newest change is BLOCKED. */
interface Repository {
  name: string;
  by: 'decision' | 'rules' | 'marker';
  accepted: Ending[];
  isBlocked: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are compared whole, whatever they hold
type Data = any;

/** The model. */
const hasEnded = (atMs: number, { endMs }: Ending): boolean => atMs >= endMs;

/** Overridden in emergencies; nothing accepts its findings. */
const URGENT: Repository = { name: 'acme/urgent', by: 'decision', accepted: [], isBlocked: false };
const DECIDED = ['decision', 'decision', 'decision', 'rules', 'rules', 'marker', 'marker'] as const;

/**
 * A daemon with repositories whose findings are accepted for a time by decisions, by the rules or
 * by markers, and with emergencies to review, while the clock steps. After each step its answers
 * are compared with the model.
 */
export class ClockSteps {
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  private readonly startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  private readonly repositories: readonly Repository[] = DECIDED.map((by, n) => {
    return { name: `acme/${by}-${n}`, by, accepted: [], isBlocked: false };
  });
  private emergencies: Ending[] = [];
  private fingerprint = '';
  private daemon: ServedDaemon | null = null;
  private readonly clock: SteppedClock;
  private readonly random: Random;
  private readonly start: () => Promise<ServedDaemon>;
  private readonly revive: ClockOptions['revive'];
  private readonly progress: (text: string) => void;

  constructor(options: ClockOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.start = options.start;
    this.revive = options.revive;
    this.progress = options.progress;
  }

  async run(steps: number): Promise<void> {
    this.daemon = await this.start();
    try {
      await this.begin();
      for (let step = 1; step <= steps; step += 1) {
        await this.stepClock();
        await this.change();
        for (const repository of this.repositories) await this.look(repository);
        await this.lookAtLists();
        if (step % 20 === 0) this.progress(`${step} steps, ${this.faults.length} faults`);
      }
    } finally {
      await this.daemon.stop();
    }
  }

  /** Learns the fingerprint that the rules accept, and gives each repository a newest change. */
  private async begin(): Promise<void> {
    for (const repository of this.repositories) {
      if (repository.by === 'marker') {
        const endMs = this.startMs + this.random.between(1, SPAN_DAYS[1] - 1) * DAY_MS;
        repository.accepted = [{ rfcId: '', endMs }];
      }
      const { gates } = await this.submit(repository);
      this.fingerprint ||= gates.risk.findings[0].fingerprint;
    }
    await this.putRules();
  }

  private anyMs(): number {
    const [from, to] = SPAN_DAYS;
    return this.startMs + this.random.between(from * DAY_MS, to * DAY_MS);
  }

  /** To an end, just before or after it, or anywhere; one time of five with the daemon down. */
  private async stepClock(): Promise<void> {
    const { clock, random, daemon } = this;
    const isDown = random.next() < 0.2;
    const isKilled = random.next() < 0.5;
    if (isDown && isKilled) process.kill(daemon?.pid ?? 0, 'SIGKILL');
    else if (isDown) await daemon?.stop();
    const endings = [...this.repositories.flatMap(({ accepted }) => accepted), ...this.emergencies];
    const beforeMs = clock.now();
    if (random.next() < 2 / 3)
      clock.freeze(random.pick(endings).endMs + random.pick([-2_000, -1, 0, 0, 1]));
    else clock.go(this.anyMs());
    this.count(clock.now() < beforeMs ? 'steps back' : 'steps forth');
    if (!isDown) return;
    await daemon?.exited;
    this.daemon = await this.startAgain();
    this.count(isKilled ? 'kills (SIGKILL)' : 'restarts (SIGTERM)');
  }

  /** A daemon that cannot reach its database ends; its supervisor starts it again. */
  private async startAgain(): Promise<ServedDaemon> {
    let endMs = performance.now() + ANSWER_MS_MAX;
    for (;;) {
      try {
        return await this.start();
      } catch (thrown) {
        const isAway = thrown instanceof Error && thrown.message.includes('UNAVAILABLE');
        if (!isAway) throw thrown;
        this.count('starts without a database (UNAVAILABLE), repeated');
        if (performance.now() < endMs) continue;
        if (!(await this.isRevived())) throw thrown;
        endMs = performance.now() + ANSWER_MS_MAX;
      }
    }
  }

  /** New ends in the rules, an emergency or its rejection, an acceptance or its end for good. */
  private async change(): Promise<void> {
    const { random, emergencies, fingerprint } = this;
    const draw = random.next();
    if (draw < 0.15) await this.putRules();
    else if (draw < 0.4) await this.override(URGENT);
    else if (draw < 0.5 && emergencies.length > 0) {
      const gone = random.pick(emergencies);
      this.compare('a rejection', await this.post(`reject/${gone.rfcId}`, {}), 200);
      this.emergencies = emergencies.filter((one) => one !== gone);
    } else {
      const repository = random.pick(this.repositories.filter(({ by }) => by === 'decision'));
      if (random.next() < 0.9 || repository.accepted.length === 0) await this.override(repository);
      else {
        const ended = await this.post('accepted/end', { repo: repository.name, fingerprint });
        this.compare('an end for good', ended, 200);
        repository.accepted = [];
      }
    }
  }

  /**
   * Overrides a change whose finding counts: for a time that must not be over, or as an emergency,
   * which is refused while the review of another one is overdue.
   */
  private async override(repository: Repository): Promise<void> {
    const { rfc_id: rfcId, overall_status } = await this.submit(repository);
    if (overall_status !== 'BLOCKED') return;
    const { random, emergencies } = this;
    const path = `rfc/${rfcId}/override`;
    if (repository === URGENT) {
      const isRefused = (atMs: number) => emergencies.some((one) => hasEnded(atMs, one));
      const override = () => this.post(path, { emergency: true });
      const status = await this.check('an emergency', override, (ms) =>
        isRefused(ms) ? 409 : 200,
      );
      if (status !== 200) return;
      const { override_history, emergency } = (await this.ask(`rfc/${rfcId}`)).data;
      const endMs = Date.parse(override_history[0].at) + REVIEW_DAYS * DAY_MS;
      this.compare('a due date', emergency.due_at, iso(endMs));
      emergencies.push({ rfcId, endMs });
      return;
    }
    const nearMs = Math.floor(this.clock.now()) + random.pick([-1, 0, 1, 2, 60_000]);
    const endMs = random.next() < 0.5 ? nearMs : this.anyMs();
    const accept = () => this.post(path, { accept_findings: true, expires_at: iso(endMs) });
    const isOver = (atMs: number) => hasEnded(atMs, { rfcId, endMs });
    const status = await this.check('an override', accept, (ms) => (isOver(ms) ? 400 : 200));
    if (status !== 200) return;
    repository.accepted.push({ rfcId, endMs });
    repository.isBlocked = false;
  }

  private async putRules(): Promise<void> {
    const listed = this.repositories.filter(({ by }) => by === 'rules');
    const accepted = listed.map((repository) => {
      const endMs = this.anyMs();
      repository.accepted = [{ rfcId: '', endMs }];
      const { name: repo } = repository;
      return { fingerprint: this.fingerprint, reason: 'made up', repo, expires_at: iso(endMs) };
    });
    const emergency = { emergency_review_days: REVIEW_DAYS, refuse_overdue_emergencies: true };
    const pipeline = { own_markers: 'on', ...emergency };
    const rules = {
      version: 1,
      extends: 'default',
      risk_patterns: [EXTRA_RULE],
      pipeline,
      accepted,
    };
    const { status, error } = await this.ask('rules', 'PUT', rules);
    this.compare('new rules', [status, error], [200, undefined]);
  }

  /** The deploy decision, the next change, and the decision after that. */
  private async look(repository: Repository): Promise<void> {
    const { name, by, accepted } = repository;
    const decision = async () => {
      const { allowed, reason } = (await this.ask(`prod-check/${name}`)).data;
      return allowed ? 'allowed' : reason.replace(/^the acceptance of \S+ by /, '');
    };
    const areOver = (atMs: number) => accepted.every((one) => hasEnded(atMs, one));
    const decided = (atMs: number) => {
      if (repository.isBlocked) return 'the newest change is blocked';
      const [first] = accepted.toSorted((a, b) => a.endMs - b.endMs);
      if (by !== 'decision' || first === undefined || !areOver(atMs)) return 'allowed';
      return `${first.rfcId} ended on ${iso(first.endMs)}`;
    };
    const change = async () => (await this.submit(repository)).overall_status;
    await this.check(`prod-check ${name}`, decision, decided);
    await this.check(`a change of ${name}`, change, (ms) => (areOver(ms) ? 'BLOCKED' : 'PASSED'));
    await this.check(`prod-check ${name} after a change`, decision, decided);
  }

  /** Exceptions that end before a day, emergencies, and their counts. */
  private async lookAtLists(): Promise<void> {
    const { repositories, emergencies } = this;
    const before = iso(this.anyMs()).slice(0, 10);
    const ending = repositories
      .flatMap(({ by, accepted }) => (by === 'decision' ? accepted : []))
      .filter(({ endMs }) => endMs < Date.parse(before))
      .map(({ rfcId, endMs }) => `${rfcId} ${iso(endMs)}`);
    const rows = await this.list(`exceptions?ending_before=${before}`);
    const shown = rows.map(({ rfc_id, expires_at }) => `${rfc_id} ${expires_at}`);
    this.compare(`exceptions before ${before}`, shown.sort(), ending.sort());
    const overdue = async () => {
      const found = await this.list('emergencies?');
      return found.map(({ rfc, overdue: is }) => `${rfc.rfc_id} ${is}`).sort();
    };
    await this.check('emergencies', overdue, (ms) =>
      emergencies.map((one) => `${one.rfcId} ${hasEnded(ms, one)}`).sort(),
    );
    const counts = async () => (await this.ask('dispatcher/status')).data.emergencies;
    await this.check('counts of emergencies', counts, (ms) => {
      return {
        due: emergencies.length,
        overdue: emergencies.filter((one) => hasEnded(ms, one)).length,
      };
    });
  }

  /** Posts a change that holds the finding of the repository. */
  private async submit(repository: Repository): Promise<Data> {
    const until = iso(repository.accepted[0]?.endMs ?? 0).slice(0, 10);
    const marked = `KILL_SWITCH = 1 # cra-ignore ${EXTRA_RULE.id} until ${until}: drill\n`;
    const text = repository.by === 'marker' ? marked : `key = "${AWS_KEY}"\n`;
    const about = { repo_name: repository.name, branch: 'main', commit_message: 'a change' };
    const diff = newFile(`src/${this.random.between(0, 3)}.py`, text);
    const { status, data, ...refusal } = await this.ask('analyze', 'POST', { ...about, diff });
    if (status !== 200) throw new Error(`a change: ${status} ${JSON.stringify(refusal)}`);
    repository.isBlocked = data.overall_status === 'BLOCKED';
    return data;
  }

  /** The answer, which must be what the model says of the time before or after the call. */
  private async check<T>(
    what: string,
    ask: () => Promise<T>,
    model: (ms: number) => T,
  ): Promise<T> {
    const before = Math.floor(this.clock.now());
    const got = await ask();
    const wanted = model(before);
    const later = model(Math.floor(this.clock.now()));
    this.compare(`${what} at ${iso(before)}`, got, isDeepStrictEqual(got, later) ? later : wanted);
    return got;
  }

  private compare(what: string, got: unknown, wanted: unknown): void {
    this.count('answers compared');
    if (isDeepStrictEqual(got, wanted)) return;
    this.faults.push(`${what}: ${JSON.stringify(got)} in place of ${JSON.stringify(wanted)}`);
  }

  private async list(path: string): Promise<Data[]> {
    const rows = [];
    for (let cursor = ''; ; ) {
      const { data, next_cursor } = await this.ask(`${path}&limit=100${cursor}`);
      rows.push(...data);
      if (next_cursor === null) return rows;
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
    }
  }

  private async post(path: string, more: object): Promise<number> {
    return (await this.ask(path, 'POST', { ...REASON, ...more })).status;
  }

  /** The answer; where the store was away (503, 504) it is asked again, under the same key. */
  private async ask(path: string, method = 'GET', body: object | null = null): Promise<Data> {
    const headers = { 'Idempotency-Key': randomUUID() };
    const sent = { method, headers, body: body === null ? null : JSON.stringify(body) };
    let awayMs = performance.now() + AWAY_MS_MAX;
    for (;;) {
      const signal = AbortSignal.timeout(ANSWER_MS_MAX);
      const response = await fetch(`${this.daemon?.url}/${path}`, { ...sent, signal });
      const { status } = response;
      const answer = (await response.json()) as object;
      if (status < 500) return { status, ...answer };
      this.count(`answers of ${status}`);
      const refused = `${method} ${path}: ${JSON.stringify(answer)}`;
      if (status !== 503 && status !== 504) throw new Error(refused);
      this.progress(refused);
      if (performance.now() > awayMs) {
        if (!(await this.isRevived())) throw new Error(`the store answers, and yet ${refused}`);
        awayMs = performance.now() + AWAY_MS_MAX;
      }
      await setTimeout(REPEAT_AFTER_MS);
    }
  }

  /** A mongod may hang when its clock goes back: nothing that a daemon does ends that. */
  private async isRevived(): Promise<boolean> {
    const isRevived = (await this.revive?.()) ?? false;
    if (isRevived) this.count('the store hung by itself, and was started again');
    return isRevived;
  }

  private count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
