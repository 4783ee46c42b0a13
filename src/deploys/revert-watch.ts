import { type Clock, createPause, systemClock } from '../core/rate-limit.ts';
import { requestHash } from '../decisions/decisions.ts';
import { plainEvent } from '../model/audit.ts';
import { DEPLOYS, OUTCOMES, orderAfter, placeKey } from '../model/deploy.ts';
import { CraError, unlessNotFound } from '../model/errors.ts';
import { BRANCH_PREFIX } from '../model/push.ts';
import { viewedRecord } from '../model/records.ts';
import type { Client } from '../rpc/service.ts';
import type { FoundRevert, Source, SourceRepository } from '../rpc/source-contract.ts';
import type { DeployStore } from '../store/contract/deploys.ts';
import type { PushedRepository, PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { acceptedAmong, RANGE } from './range.ts';

/** Finds commits that were reverted on the default branches, and notes them as outcomes. */
export interface RevertWatch {
  start(): void;
  stop(): Promise<void>;
  /** Looks at all repositories once. */
  look(): Promise<void>;
}

export interface RevertWatchOptions {
  /** All repositories with pushes, by pages. */
  listRepositories(): AsyncIterable<PushedRepository[]>;
  pushes: Pick<PushStore, 'newestAccepted' | 'acceptedHeads'>;
  records: Pick<RecordStore, 'rfcsOfCommit' | 'getRfc'>;
  deploys: Pick<DeployStore, 'addReport' | 'reportsOf'>;
  trail: Pick<TrailStore, 'appendEvent'>;
  source: Pick<Client<typeof Source>, 'reverts' | 'ancestry' | 'isAncestor'>;
  onError(error: CraError, repo: string): void;
  clock?: Clock;
}

/** Heads that are remembered as looked at: a repository whose head stands costs a read. */
const HEADS_MAX = 10_000;

/** Creates it: it looks at one repository after the other, `OUTCOMES.REVERTS_INTERVAL_MS` apart. */
export function createRevertWatch(options: RevertWatchOptions): RevertWatch {
  const { pushes, source, onError, clock = systemClock } = options;
  const stopping = new AbortController();
  const pause = createPause(clock);
  const seen = new Map<string, string>();
  let running: Promise<void> = Promise.resolve();

  async function lookAt({ tenant_id, repo_key, record }: PushedRepository): Promise<void> {
    const { push, repo_full_name, repo_name: repo } = record;
    const branch = push?.default_branch ?? null;
    if (push == null || repo_full_name === null || branch === null) return;
    const refs = [BRANCH_PREFIX + branch];
    const [accepted] = (await pushes.newestAccepted({ tenant_id, repo_key, refs })).accepted;
    const key = `${tenant_id} ${repo_key}`;
    if (accepted === undefined || seen.get(key) === accepted.sha) return;
    const head = accepted.sha;
    const repository = { host: push.host, repo_full_name };
    const since = new Date(clock.now() - OUTCOMES.DAYS_MAX * DAY_MS).toISOString();
    const { signal } = stopping;
    const { reverts, isWhole } = await source.reverts({ ...repository, head, since }, { signal });
    const place = { tenant_id, repo_key, repo, repository, head, signal };
    const isAllNoted = await noteAll(options, place, reverts, clock.now());
    if (signal.aborted) return;
    if (!isAllNoted) {
      const message = `more than ${OUTCOMES.REVERTS_NOTED_MAX} new reverts: the next look goes on`;
      throw new CraError('OUT_OF_RANGE', message);
    }
    if (seen.size >= HEADS_MAX) seen.clear();
    seen.set(key, head);
    if (isWhole) return;
    const message = 'more commits or reverts than are looked at, or a patch that is too large';
    throw new CraError('OUT_OF_RANGE', message);
  }

  async function look(): Promise<void> {
    for await (const repositories of options.listRepositories()) {
      for (const repository of repositories) {
        if (stopping.signal.aborted) return;
        await lookAt(repository).catch((thrown) => {
          if (stopping.signal.aborted) return;
          onError(CraError.fromUnknown(thrown), repository.record.repo_name);
        });
      }
    }
  }

  return {
    look,
    start() {
      const run = async () => {
        while (!stopping.signal.aborted) {
          await pause.wait(OUTCOMES.REVERTS_INTERVAL_MS);
          if (stopping.signal.aborted) return;
          await look().catch((thrown) => onError(CraError.fromUnknown(thrown), ''));
        }
      };
      running = run();
    },
    async stop() {
      stopping.abort();
      pause.wake();
      await running;
    },
  };
}

const DAY_MS = 24 * 3_600_000;

interface WatchedPlace {
  tenant_id: string;
  repo_key: string;
  repo: string;
  repository: SourceRepository;
  head: string;
  signal: AbortSignal;
}

/** Notes reverts that are not known yet; whether they were at most `OUTCOMES.REVERTS_NOTED_MAX`. */
async function noteAll(
  options: RevertWatchOptions,
  place: WatchedPlace,
  reverts: readonly FoundRevert[],
  nowMs: number,
): Promise<boolean> {
  let count = 0;
  for (const revert of reverts) {
    if (place.signal.aborted) return false;
    if (await isKnown(options, place, revert, nowMs)) continue;
    if (count === OUTCOMES.REVERTS_NOTED_MAX) return false;
    count += 1;
    await note(options, place, revert, nowMs);
  }
  return true;
}

/**
 * Whether the ledger has a revert under this name of the repository, however it was found; a commit
 * with `DEPLOYS.READ_PAGE` reverts gets no more.
 */
async function isKnown(
  { deploys }: RevertWatchOptions,
  { tenant_id, repo }: WatchedPlace,
  { sha, by }: FoundRevert,
  nowMs: number,
): Promise<boolean> {
  const place = placeKey({ repo, environment: '', component: null });
  const order = orderAfter(new Date(nowMs).toISOString());
  const of = { tenant_id, place, sha, result: 'reverted', order } as const;
  const { reports } = await deploys.reportsOf({ ...of, limit: DEPLOYS.READ_PAGE });
  const isFull = reports.length === DEPLOYS.READ_PAGE;
  return isFull || reports.some(({ reverted_by }) => reverted_by === by);
}

/** Notes one revert, with an entry of the trail; a note that was cut off finds its entry. */
async function note(
  options: RevertWatchOptions,
  place: WatchedPlace,
  { sha, by: reverted_by, how }: FoundRevert,
  nowMs: number,
): Promise<void> {
  const { tenant_id, repo_key, repo } = place;
  const rfc_id = await findRfc(options, place, sha);
  const received_at = new Date(nowMs).toISOString();
  const seenAt = (await findSeen(options, place, reverted_by)) ?? received_at;
  const at = seenAt < received_at ? seenAt : received_at;
  // All that its entry says is in the id: of two entries with one id, the second would be refused.
  const report_id = requestHash(['reverted', tenant_id, repo_key, repo, sha, reverted_by, how]);
  const what = { sha, result: 'reverted', reverted_by, how } as const;
  const about = { principal: null, tenant_id, repo_name: repo };
  const event = plainEvent({ kind: 'deploy', op_id: report_id, ...about, details: what });
  await options.trail.appendEvent({ event });
  const named = rfc_id === null ? {} : { rfc_id };
  const none = { component: null, started_at: null, artifact: null, url: null };
  const report = { report_id, repo, environment: '', ...what, ...named, at, received_at, ...none };
  await options.deploys.addReport({ tenant_id, report: { ...report, by: 'service' } });
}

/** The RFC that brought a commit: that of the commit itself, else as `findPush`. */
async function findRfc(
  options: RevertWatchOptions,
  place: WatchedPlace,
  sha: string,
): Promise<string | null> {
  const of = { tenant_id: place.tenant_id, repo_name: place.repo, commit_sha: sha };
  const [own] = (await options.records.rfcsOfCommit(of)).rfc_ids;
  return own ?? (await findPush(options, place, sha));
}

/** When the service saw the push that brought a commit, ISO 8601; null: it knows no such push. */
async function findSeen(
  options: RevertWatchOptions,
  place: WatchedPlace,
  sha: string,
): Promise<string | null> {
  const { tenant_id } = place;
  const rfc_id = await findPush(options, place, sha);
  if (rfc_id === null) return null;
  const view = await options.records.getRfc({ tenant_id, rfc_id }).catch(unlessNotFound);
  return view && viewedRecord(view).created_at;
}

/**
 * The RFC of the first accepted push that has a commit; null: it is the baseline, or no push among
 * the newest `RANGE.COMMITS_MAX` commits has it.
 */
async function findPush(
  { pushes, source }: RevertWatchOptions,
  { tenant_id, repo_key, repository, head, signal }: WatchedPlace,
  sha: string,
): Promise<string | null> {
  const later = { from: head, without: [sha], skip: 0, limit: RANGE.COMMITS_MAX };
  const { shas } = await source.ancestry({ ...repository, ...later }, { signal });
  const heads = await acceptedAmong(tenant_id, repo_key, [...shas, sha], pushes);
  if (heads.has(sha)) return heads.get(sha) ?? null;
  const oldestFirst = shas.filter((one) => heads.has(one)).reverse();
  for (const other of oldestFirst.slice(0, RANGE.APART_MAX)) {
    const asked = { ...repository, one: sha, other };
    const { is_ancestor } = await source.isAncestor(asked, { signal });
    if (is_ancestor) return heads.get(other) ?? null;
  }
  return null;
}
