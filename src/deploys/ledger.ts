import type { Redact } from '../analysis/job.ts';
import {
  operationId,
  type Requester,
  redactNamed,
  requestHash,
  writeFailure,
} from '../decisions/decisions.ts';
import { type AuditEvent, type AuditPlace, plainEvent } from '../model/audit.ts';
import {
  DEPLOYS,
  type DeployPlace,
  type DeployReport,
  type DeployRequest,
  environmentKey,
  OUTCOMES,
  type Outcome,
  type OutcomeRequest,
  orderAfter,
  type PassFreezeRequest,
  placeKey,
  placeOf,
  reportOrder,
  repositoryKey,
} from '../model/deploy.ts';
import { CraError, invalidField } from '../model/errors.ts';
import type { ServiceEvent } from '../model/event.ts';
import { MAY_PASS_DEFAULT } from '../model/freeze.ts';
import { type Principal, roleIncludes } from '../model/principal.ts';
import { viewedRecord } from '../model/records.ts';
import { commitId } from '../model/rfc.ts';
import { END, endTime, PATTERN_PROBLEMS } from '../model/schema.ts';
import type { ReportStore } from '../store/contract/deploys.ts';
import type { EventStore } from '../store/contract/events.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { type DeployFigures, figuresSince } from './figures.ts';
import type { FindFreezes } from './freezes.ts';
import { outcomesSince } from './outcomes.ts';
import { type ReportAt, type Run, runsSince } from './runs.ts';

export interface DeployOutcome {
  deploy: DeployReport;
  op_id: string;
  /** The place of its entry in the trail. */
  audit: AuditPlace;
  /** Whether the same report came before. */
  replayed: boolean;
}

/** What a list of the ledger is narrowed by; null: not by this. */
export interface LedgerQuestion {
  environment: string | null;
  repo: string | null;
  component: string | null;
  /** A day (UTC), or a time as `Date` reads it; null: now. */
  at: string | null;
  limit: number;
  cursor: string | null;
}

/** What runs, or ran, in one place. */
export interface DeployedPlace {
  repo: string;
  component: string | null;
  environment: string;
  /** At the time asked for, or on the day; the newest first. */
  runs: Run[];
  /** The newest report of that time or day, whatever its result. */
  last: DeployReport;
}

/** What became of the commits of one place. */
export interface PlaceOutcomes {
  repo: string;
  component: string | null;
  environment: string;
  /** The newest first. */
  outcomes: Outcome[];
  /** Of which some may not be listed. */
  outcomes_total: number;
}

/** How the deploys of one place went. */
export interface PlaceFigures extends DeployFigures {
  repo: string;
  component: string | null;
  environment: string;
}

/** The ledger of deploys. */
export interface DeployLedger {
  /**
   * Keeps a report, durably, with its entry in the trail. A report with `at` or `started_at` that
   * comes again is the first one. Rejects like `Decisions.decide`; ALREADY_EXISTS when the same
   * report came before with another `url` or `artifact`.
   */
  report(request: DeployRequest, requester: Requester): Promise<DeployOutcome>;
  /**
   * Notes that a person lets a commit pass a freeze, with its entry in the trail. NOT_FOUND when no
   * such freeze is in force now, PERMISSION_DENIED for a role below its `may_pass`,
   * FAILED_PRECONDITION for a freeze whose calendar fails: only the rules end that.
   */
  passFreeze(request: PassFreezeRequest, requester: Requester): Promise<DeployOutcome>;
  /**
   * Notes what somebody says of a commit that ran in a place, or of a change by itself, with its
   * entry in the trail; of one commit there the newest statement counts. `requireRepo` is asked
   * once the repository is known. NOT_FOUND when no report says that the commit ran there in the
   * last `OUTCOMES.DAYS_MAX` days, or there is no such RFC; FAILED_PRECONDITION for an older RFC.
   */
  state(
    request: OutcomeRequest,
    requester: Requester,
    requireRepo: (repo: string) => void,
  ): Promise<DeployOutcome>;
  /** What became of commits in the last `OUTCOMES.DAYS_MAX` days. A page may be short. */
  outcomes(
    principal: Principal,
    question: Omit<LedgerQuestion, 'at'> & { sha: string | null },
  ): Promise<{ places: PlaceOutcomes[]; next_cursor: string | null }>;
  /** How deploys went on the last `days` days (UTC), today included. A page may be short. */
  figures(
    principal: Principal,
    question: Omit<LedgerQuestion, 'at'> & { days: number },
  ): Promise<{ places: PlaceFigures[]; next_cursor: string | null }>;
  /** Whether somebody has let the commit pass the freeze since a time, ISO 8601. */
  hasPassed(
    principal: Principal,
    place: DeployPlace,
    pass: { sha: string; freeze: string; since: string },
  ): Promise<boolean>;
  /** What runs where, or ran. A page may be short. INVALID_ARGUMENT: there is no such time. */
  list(
    principal: Principal,
    question: LedgerQuestion,
  ): Promise<{ places: DeployedPlace[]; next_cursor: string | null }>;
  /**
   * What runs in one place now, or ran at a time (ISO 8601); null: no report says so. Of a
   * component, here and in the questions below, reports of the whole repository count as well: they
   * are about each component.
   */
  running(principal: Principal, place: DeployPlace, at?: string): Promise<Run | null>;
  /**
   * The newest report that a commit succeeded there, unless it was rolled back since; with
   * `receivedBefore`, ISO 8601, of the reports that came before it.
   */
  ranBefore(
    principal: Principal,
    place: DeployPlace,
    sha: string,
    receivedBefore: string | null,
  ): Promise<DeployReport | null>;
}

export interface DeployLedgerOptions {
  deploys: ReportStore;
  trail: Pick<TrailStore, 'appendEvent'>;
  events: Pick<EventStore, 'addEvents'>;
  records: Pick<RecordStore, 'getRfc' | 'rfcsOfCommit'>;
  redact: Redact;
  findFreezes: FindFreezes;
  /** Ms since the epoch. */
  now(): number;
}

/** Creates the ledger. */
export function createDeployLedger(options: DeployLedgerOptions): DeployLedger {
  const { deploys, now } = options;

  /** Until a time. */
  function historyOf({ tenant_id }: Principal, place: DeployPlace, until: string): ReportAt {
    const read = (key: string): ReadPage => {
      return (page) => deploys.reportsBelow({ tenant_id, place: key, ...page });
    };
    return newestOf(keysOf(place).map((key) => readReports(read(key), orderAfter(until))));
  }

  /** The reports of one commit with one result, until a time. */
  function reportsOf(
    { tenant_id }: Principal,
    place: DeployPlace,
    { until, ...of }: { sha: string; result: DeployReport['result']; until: string },
  ): ReportAt {
    const read = (key: string): ReadPage => {
      return (page) => deploys.reportsOf({ tenant_id, place: key, ...of, ...page });
    };
    return newestOf(keysOf(place).map((key) => readReports(read(key), orderAfter(until))));
  }

  const nowText = () => new Date(now()).toISOString();

  const running: DeployLedger['running'] = async (principal, place, at = nowText()) => {
    const [run] = await runsSince(historyOf(principal, place, at), at);
    return run?.until === null ? run : null;
  };
  const boxStart = () => new Date(now() - OUTCOMES.DAYS_MAX * DAY_MS).toISOString();

  async function requireRun(principal: Principal, place: DeployPlace, sha: string): Promise<void> {
    const of = { sha, result: 'succeeded', until: nowText() } as const;
    const ran = await reportsOf(principal, place, of)(0);
    const isRecent = ran !== null && ran.at >= boxStart();
    if (isRecent || (await running(principal, place))?.sha === sha) return;
    const message = `no report says that this commit ran there in the last ${OUTCOMES.DAYS_MAX} days`;
    throw new CraError('NOT_FOUND', message);
  }

  /** The change that a statement is about. */
  async function findSubject(
    { rfc_id, environment, ...request }: Omit<OutcomeRequest, 'kind'>,
    { tenant_id }: Principal,
  ): Promise<{ repo: string; sha: string; rfc_id: string | null }> {
    const { repo, sha } = request;
    if (rfc_id !== undefined && (repo !== undefined || sha !== undefined)) {
      throw invalidField('rfc_id', 'stands without repo and sha');
    }
    if (rfc_id === undefined && repo === undefined) throw invalidField('repo', 'is required');
    if (rfc_id === undefined && sha === undefined) throw invalidField('sha', 'is required');
    const commit = { repo: repo ?? '', sha: commitId(sha ?? '') };
    if (rfc_id === undefined && environment !== undefined) return { ...commit, rfc_id: null };
    const id = rfc_id ?? (await newestRfcOf(tenant_id, commit));
    const record = viewedRecord(await options.records.getRfc({ tenant_id, rfc_id: id }));
    if (environment === undefined && record.created_at < boxStart()) {
      const message = `this RFC is older than ${OUTCOMES.DAYS_MAX} days: its outcome stands`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    if (environment !== undefined && record.commit_sha === null) {
      const message = 'this RFC names no commit that could run there: leave environment out';
      throw new CraError('FAILED_PRECONDITION', message);
    }
    return { repo: record.repo_name, sha: record.commit_sha ?? '', rfc_id: id };
  }

  async function newestRfcOf(
    tenant_id: string,
    { repo, sha }: { repo: string; sha: string },
  ): Promise<string> {
    const of = { tenant_id, repo_name: repo, commit_sha: sha };
    const [newest] = (await options.records.rfcsOfCommit(of)).rfc_ids;
    if (newest !== undefined) return newest;
    throw new CraError(
      'NOT_FOUND',
      'there is no RFC of this commit: name an environment, or an RFC',
    );
  }

  return {
    report: createReporter(options),
    passFreeze: createFreezePass(options),
    running,

    async state({ kind: result, ...request }, requester, requireRepo) {
      const { principal } = requester;
      const { environment = null, component = null, url = null } = request;
      const { repo, sha, rfc_id } = await findSubject(request, principal);
      requireRepo(repo);
      const place = { repo, environment: environment ?? '', component };
      if (environment !== null) await requireRun(principal, place, sha);
      const shown = await redactNamed({ ...place, url }, options.redact, requester);
      const op_id = operationId('outcomes', requester);
      const { repo: repo_name, ...where } = shown;
      const named = rfc_id === null ? {} : { rfc_id };
      const details = { result, ...where, sha, ...named };
      const event = plainEvent({ kind: 'deploy', op_id, principal, repo_name, details });
      const at = nowText();
      const none = { started_at: null, artifact: null };
      const what = { report_id: op_id, ...shown, sha, result, ...named };
      const report = { ...what, at, received_at: at, ...none, by: principal.id };
      return await enter(options, { event, report: () => report }, requester);
    },

    async outcomes({ tenant_id }, { sha, ...question }) {
      const { keys, next_cursor } = await listPlaces(deploys, tenant_id, question);
      const places: PlaceOutcomes[] = [];
      for (const place of keys) {
        const read: ReadPage = (page) => deploys.reportsBelow({ tenant_id, place, ...page });
        const reports = readReports(read, orderAfter(nowText()));
        const last = await reports(0);
        const all = await outcomesSince(reports, boxStart());
        const found = sha === null ? all : all.filter((one) => one.sha === commitId(sha));
        if (last === null || found.length === 0) continue;
        const { repo, component, environment } = last;
        const outcomes = found.slice(0, OUTCOMES.LISTED_MAX);
        places.push({ repo, component, environment, outcomes, outcomes_total: found.length });
      }
      return { places, next_cursor };
    },

    async figures(principal, { days, ...question }) {
      const { tenant_id } = principal;
      const { keys, next_cursor } = await listPlaces(deploys, tenant_id, question, DEPLOYED);
      const since = new Date(now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      const from = `${since}T00:00:00.000Z`;
      /** Of one repository and component it is the same in every environment. */
      const known = new Map<string, Outcome[]>();
      const places: PlaceFigures[] = [];
      for (const place of keys) {
        const read: ReadPage = (page) => deploys.reportsBelow({ tenant_id, place, ...page });
        const reports = readReports(read, orderAfter(nowText()));
        const last = await reports(0);
        if (last === null || last.environment === '') continue;
        const { repo, component, environment } = last;
        const changes = { repo, component, environment: '' };
        const key = placeKey(changes);
        const ofChanges =
          known.get(key) ?? (await outcomesSince(historyOf(principal, changes, nowText()), from));
        known.set(key, ofChanges);
        const figures = await figuresSince(reports, from, ofChanges);
        places.push({ repo, component, environment, ...figures });
      }
      return { places, next_cursor };
    },

    async list({ tenant_id }, question) {
      const window = windowOf(question.at, now());
      const { keys, next_cursor } = await listPlaces(deploys, tenant_id, question, DEPLOYED);
      const places: DeployedPlace[] = [];
      for (const place of keys) {
        const read: ReadPage = (page) => deploys.reportsBelow({ tenant_id, place, ...page });
        const reports = readReports(read, window.below);
        const last = await reports(0);
        if (last === null || last.environment === '') continue;
        const runs = await runsSince(reports, window.from);
        const { repo, component, environment } = last;
        places.push({
          repo,
          component,
          environment,
          runs: window.isDay ? runs : runs.slice(0, 1).filter(({ until }) => until === null),
          last,
        });
      }
      return { places, next_cursor };
    },

    async hasPassed(principal, place, { sha, freeze, since }) {
      const of = { sha, result: 'freeze_passed', until: nowText() } as const;
      const passes = reportsOf(principal, place, of);
      for (let index = 0; ; index += 1) {
        const pass = await passes(index);
        if (pass === null || pass.at < since) return false;
        if (pass.freeze === freeze) return true;
      }
    },

    async ranBefore(principal, place, sha, receivedBefore) {
      const until = nowText();
      const undone = await reportsOf(principal, place, { sha, result: 'rolled_back', until })(0);
      const last = undone === null ? '' : reportOrder(undone);
      // No report is about a time after it came.
      const of = { sha, result: 'succeeded', until: receivedBefore ?? until } as const;
      const reports = reportsOf(principal, place, of);
      for (let index = 0; ; index += 1) {
        const report = await reports(index);
        if (report === null || reportOrder(report) < last) return null;
        if (receivedBefore === null || report.received_at < receivedBefore) return report;
      }
    },
  };
}

/** The keys of the places whose reports are about a place. */
function keysOf(place: DeployPlace): string[] {
  const key = placeKey(place);
  return place.component === null ? [key] : [key, placeKey({ ...place, component: null })];
}

/**
 * Writes a report with its entry in the trail. The entry goes first: a report of the ledger always
 * has one. A report that was cut off in between was not acknowledged; sent again, it finds its
 * entry.
 */
async function enter(
  { deploys, trail }: Pick<DeployLedgerOptions, 'deploys' | 'trail'>,
  { event, report }: { event: AuditEvent; report: () => DeployReport },
  requester: Requester,
  onKept: (report: DeployReport) => Promise<void> = async () => undefined,
): Promise<DeployOutcome> {
  const { tenant_id } = requester.principal;
  const { op_id } = event;
  let isEntered = false;
  try {
    const { chain, seq } = await trail.appendEvent({ event });
    isEntered = true;
    const { report: deploy, added } = await deploys.addReport({ tenant_id, report: report() });
    await onKept(deploy);
    return { deploy, op_id, audit: { chain, seq }, replayed: !added };
  } catch (thrown) {
    if (!isEntered) throw writeFailure(thrown, op_id, requester);
    const { code, message, details, cause } = CraError.fromUnknown(thrown);
    const { changed: _, ...rest } = details;
    const advice = 'its entry is in the audit trail, but the rest may be missing: send it again';
    throw new CraError(code, `${message}: ${advice}`, { details: { ...rest, op_id }, cause });
  }
}

function createReporter(options: DeployLedgerOptions) {
  const { events, redact, now } = options;
  return async (request: DeployRequest, requester: Requester): Promise<DeployOutcome> => {
    const { principal } = requester;
    const { tenant_id } = principal;
    const { result, at = null, started_at = null, sent_at = null, artifact = null } = request;
    const { repo, environment, component = null, url = null } = request;
    const texts = { repo, environment, component, url, name: artifact?.name ?? null };
    const { name, ...shown } = await redactNamed(texts, redact, requester);
    const sha = commitId(request.sha);
    const said = {
      result,
      sha,
      ...shown,
      at: momentOf('at', at),
      started_at: momentOf('started_at', started_at),
    };
    const key = placeKey(said);
    const isNamed = said.at !== null || said.started_at !== null;
    const op_id = isNamed
      ? requestHash([
          'deploys',
          tenant_id,
          principal.id,
          key,
          sha,
          said.started_at ?? said.at,
          result,
        ])
      : operationId('deploys', requester);
    const shownArtifact = artifact === null ? null : { name: name ?? '', digest: artifact.digest };
    const { repo: repo_name, ...details } = { ...said, artifact: shownArtifact };
    const event = plainEvent({ kind: 'deploy', op_id, principal, repo_name, details });
    const sentAt = momentOf('sent_at', sent_at);
    const report = () => ({
      report_id: op_id,
      ...said,
      ...timesOf(said, sentAt, now()),
      artifact: shownArtifact,
      by: principal.id,
    });
    return await enter(options, { event, report }, requester, async (kept) => {
      // A report that was cut off here comes again: the same event is added once.
      await events.addEvents({ events: [eventOf(kept, tenant_id)] });
    });
  };
}

/** The event of a report, for subscribers (docs/how-to/events.md), in the order of its place. */
function eventOf(report: DeployReport, tenant_id: string): ServiceEvent {
  const { report_id, repo, environment, component, sha, result, at, artifact } = report;
  const subject = [repo, component, environment].filter((name) => name !== null).join(' ');
  const data = { repo, environment, component, commit_sha: sha, job_url: report.url, artifact };
  return {
    event_id: `deploy.${report_id}`,
    type: `deploy.${result}` as ServiceEvent['type'],
    tenant_id,
    subject,
    place: Date.parse(at),
    repo,
    at,
    data,
  };
}

function createFreezePass(options: DeployLedgerOptions): DeployLedger['passFreeze'] {
  const { redact, findFreezes, now } = options;
  return async (request, requester) => {
    const { principal } = requester;
    const { repo, environment, component = null, freeze: id } = request;
    const asked = { repo, environment, component };
    const found = (await findFreezes(asked, now())).find(({ freeze }) => freeze.id === id);
    if (found === undefined)
      throw new CraError('NOT_FOUND', `no freeze ${id} holds this deploy now`);
    const least = found.freeze.may_pass ?? MAY_PASS_DEFAULT;
    if (!roleIncludes(principal.role, least)) {
      const message = `the freeze ${id} needs the role ${least}; yours is ${principal.role}`;
      throw new CraError('PERMISSION_DENIED', message);
    }
    if (found.since === null) {
      const message = `nobody lets a commit pass the freeze ${id}: it holds until ${found.until}`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    const texts = { ...asked, reason: request.reason };
    const { reason, ...place } = await redactNamed(texts, redact, requester);
    const op_id = operationId('pass-freeze', requester);
    const sha = commitId(request.sha);
    const result = 'freeze_passed' as const;
    const { repo: repo_name, ...where } = place;
    const details = { result, ...where, sha, freeze: id };
    const about = { op_id, principal, repo_name, reason, details };
    const event = plainEvent({ kind: 'deploy', ...about });
    const at = new Date(now()).toISOString();
    const none = { started_at: null, url: null, artifact: null };
    const what = { report_id: op_id, ...place, sha, result };
    const report = { ...what, at, received_at: at, ...none, by: principal.id, freeze: id, reason };
    return await enter(options, { event, report: () => report }, requester);
  };
}

/**
 * When it was, as far as the service can know: a clock that differs is corrected by what it said
 * as it sent; nothing is later than its report; no deploy ends before it began.
 */
function timesOf(
  { result, at, started_at }: Pick<DeployReport, 'result' | 'started_at'> & { at: string | null },
  sentAt: string | null,
  nowMs: number,
): Pick<DeployReport, 'at' | 'received_at'> {
  const offsetMs = sentAt === null ? 0 : nowMs - Date.parse(sentAt);
  const corrected = (time: string) => Date.parse(time) + offsetMs;
  const begunMs = started_at === null ? Number.NEGATIVE_INFINITY : corrected(started_at);
  const saidMs = at === null ? (result === 'started' ? begunMs : nowMs) : corrected(at);
  const atMs = Math.min(Number.isFinite(saidMs) ? Math.max(saidMs, begunMs) : nowMs, nowMs);
  return { at: new Date(atMs).toISOString(), received_at: new Date(nowMs).toISOString() };
}

/** A time of a body in UTC, with milliseconds. Throws INVALID_ARGUMENT: there is no such time. */
function momentOf(field: string, text: string | null): string | null {
  if (text === null) return null;
  const ms = Date.parse(text);
  if (Number.isFinite(ms) && endTime(text.slice(0, DAY_CHARS)) !== null) {
    return new Date(ms).toISOString();
  }
  throw invalidField(field, 'is not a valid time');
}

const DAY_CHARS = 'YYYY-MM-DD'.length;
const DAY_MS = 24 * 3_600_000;

/** The window that is asked for: a day, or a time; `below`: what reports of it stand below. */
function windowOf(
  at: string | null,
  nowMs: number,
): { from: string; below: string; isDay: boolean } {
  const given = at ?? new Date(nowMs).toISOString();
  const from = endTime(given);
  if (from === null) throw invalidField('at', PATTERN_PROBLEMS.get(END) ?? 'is not a valid time');
  if (given.length > DAY_CHARS) return { from, below: orderAfter(from), isDay: false };
  return { from, below: new Date(Date.parse(from) + DAY_MS).toISOString(), isDay: true };
}

/** Reads a page of reports below an order, the newest first. */
type ReadPage = (page: { order: string; limit: number }) => Promise<{ reports: DeployReport[] }>;

/** Reports that are read by pages when they are asked for. */
export function readReports(read: ReadPage, below: string): ReportAt {
  const known: DeployReport[] = [];
  let isWhole = false;
  return async (index) => {
    while (index >= known.length && !isWhole) {
      if (known.length >= DEPLOYS.READ_MAX) {
        const most = DEPLOYS.READ_MAX;
        const message = `more than ${most} reports of one environment and component to look through`;
        throw new CraError('FAILED_PRECONDITION', `${message}: ask with an earlier at`);
      }
      const last = known.at(-1);
      const order = last === undefined ? below : reportOrder(last);
      const { reports } = await read({ order, limit: DEPLOYS.READ_PAGE });
      known.push(...reports);
      isWhole = reports.length < DEPLOYS.READ_PAGE;
    }
    return known[index] ?? null;
  };
}

/** Several histories as one. */
function newestOf(histories: readonly ReportAt[]): ReportAt {
  const known: DeployReport[] = [];
  const taken = histories.map(() => 0);
  return async (index) => {
    while (index >= known.length) {
      const next = await Promise.all(histories.map((history, at) => history(taken[at] ?? 0)));
      const orders = next.map((report) => (report === null ? '' : reportOrder(report)));
      const at = orders.indexOf(orders.reduce((left, right) => (left > right ? left : right)));
      const report = next[at] ?? null;
      if (report === null) return null;
      taken[at] = (taken[at] ?? 0) + 1;
      known.push(report);
    }
    return known[index] ?? null;
  };
}

/** Behind every text that has the one before it. */
const LAST = '\u{10ffff}';

/** The key behind which places with deploys stand; before it are the outcomes of changes alone. */
const DEPLOYED = `${environmentKey('')}${LAST}`;

/**
 * The places behind a key that a question asks for, in order of their keys. It goes from one to the
 * next, and jumps over what stands before and behind a repository that is asked for: so it costs
 * what it shows and the number of environments.
 */
async function listPlaces(
  deploys: ReportStore,
  tenant_id: string,
  question: Omit<LedgerQuestion, 'at'>,
  start = '',
): Promise<{ keys: string[]; next_cursor: string | null }> {
  const { environment, repo, component, limit, cursor } = question;
  const within = environment === null ? '' : environmentKey(environment);
  const keys: string[] = [];
  const first = within === '' ? start : within;
  let after = cursor === null ? first : Buffer.from(cursor, 'base64url').toString();
  for (let looked = 0; looked < DEPLOYS.PLACES_LOOKED_MAX; looked += 1) {
    const { place } = await deploys.nextPlace({ tenant_id, after });
    if (place === null || !place.startsWith(within)) return { keys, next_cursor: null };
    const found = placeOf(place);
    const side =
      repo === null ? 0 : Buffer.compare(Buffer.from(found.repo), Buffer.from(repo.toLowerCase()));
    if (side < 0) after = repositoryKey({ ...found, repo: repo ?? '' });
    else if (side > 0) after = `${environmentKey(found.environment)}${LAST}`;
    else {
      after = place;
      if (component === null || component === found.component) keys.push(place);
    }
    if (keys.length === limit) break;
  }
  return { keys, next_cursor: Buffer.from(after).toString('base64url') };
}
