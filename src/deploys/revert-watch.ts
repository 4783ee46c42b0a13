import { type Clock, createPause, systemClock } from '../core/rate-limit.ts';
import { requestHash } from '../decisions/decisions.ts';
import { plainEvent } from '../model/audit.ts';
import { OUTCOMES } from '../model/deploy.ts';
import { CraError } from '../model/errors.ts';
import { BRANCH_PREFIX } from '../model/push.ts';
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
  records: Pick<RecordStore, 'rfcsOfCommit'>;
  deploys: Pick<DeployStore, 'addReport'>;
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
    const { reverts, isWhole } = await source.reverts({ ...repository, head, since });
    for (const revert of reverts) {
      const place = { tenant_id, repo_key, repo, repository, head };
      await note(options, place, revert, clock.now());
    }
    if (seen.size >= HEADS_MAX) seen.clear();
    seen.set(key, head);
    if (isWhole) return;
    const message = 'more commits than are looked at for reverts, or a patch that is too large';
    onError(new CraError('OUT_OF_RANGE', message), repo);
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
}

/** Notes one revert, with an entry of the trail; once, however often it is found. */
async function note(
  options: RevertWatchOptions,
  place: WatchedPlace,
  { sha, by: reverted_by, at: saidAt, how }: FoundRevert,
  nowMs: number,
): Promise<void> {
  const { tenant_id, repo } = place;
  const rfc_id = await findRfc(options, place, sha);
  const report_id = requestHash(['reverted', tenant_id, place.repo_key, sha, reverted_by]);
  const received_at = new Date(nowMs).toISOString();
  const at = saidAt < received_at ? saidAt : received_at;
  const what = { sha, result: 'reverted', reverted_by, how } as const;
  const about = { principal: null, tenant_id, repo_name: repo };
  const event = plainEvent({ kind: 'deploy', op_id: report_id, ...about, details: what });
  await options.trail.appendEvent({ event });
  const named = rfc_id === null ? {} : { rfc_id };
  const none = { component: null, started_at: null, artifact: null, url: null };
  const report = { report_id, repo, environment: '', ...what, ...named, at, received_at, ...none };
  await options.deploys.addReport({ tenant_id, report: { ...report, by: 'service' } });
}

/**
 * The RFC that brought a commit: that of the commit itself, else of the first accepted push that
 * has it; null: no push among the newest `RANGE.COMMITS_MAX` commits has.
 */
async function findRfc(
  { records, pushes, source }: RevertWatchOptions,
  { tenant_id, repo_key, repo, repository, head }: WatchedPlace,
  sha: string,
): Promise<string | null> {
  const of = { tenant_id, repo_name: repo, commit_sha: sha };
  const [own] = (await records.rfcsOfCommit(of)).rfc_ids;
  if (own !== undefined) return own;
  const later = { from: head, without: [sha], skip: 0, limit: RANGE.COMMITS_MAX };
  const { shas } = await source.ancestry({ ...repository, ...later });
  const heads = await acceptedAmong(tenant_id, repo_key, shas, pushes);
  const oldestFirst = shas.filter((one) => heads.has(one)).reverse();
  for (const other of oldestFirst.slice(0, RANGE.APART_MAX)) {
    const { is_ancestor } = await source.isAncestor({ ...repository, one: sha, other });
    if (is_ancestor) return heads.get(other) ?? null;
  }
  return null;
}
