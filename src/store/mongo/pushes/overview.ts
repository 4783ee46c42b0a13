import type { Collection } from 'mongodb';
import { CraError } from '../../../model/errors.ts';
import { BRANCH_PREFIX } from '../../../model/push.ts';
import { PUSH_STORE } from '../../contract/limits.ts';
import type {
  ProdInput,
  ProdView,
  PushedInput,
  PushedRepository,
  QueueDepth,
  Repository,
  RepositoryPlace,
} from '../../contract/pushes.ts';
import { checkLimit } from '../../lists.ts';
import { parseRecord, parseSummary, prodFacts } from '../../stored-record.ts';
import type { RfcDocument } from '../documents.ts';
import type { Fresh, FreshRead } from '../operations.ts';
import { QUERIES, type Query } from '../queries.ts';
import { nameOf, viewOf } from './heads.ts';
import { type Counted, type NamePlace, PUSH_QUERIES, runsOf } from './queries.ts';

/** What is known of pushes at large. */
export function createOverview(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  async function newestPush(repo: Repository) {
    const { filter, options } = PUSH_QUERIES.newestOfName(nameOf(repo));
    const found = await fresh((at) => rfcs.findOne(filter, { ...options, ...at }));
    if (found === null) throw new CraError('NOT_FOUND', 'the repository was never pushed here');
    const { status, rev, json } = found;
    return { overall_status: status, rev, json: new TextEncoder().encode(json) };
  }

  async function listPushed({ after, limit }: PushedInput) {
    checkLimit(limit, PUSH_STORE.LIST_LIMIT_MAX);
    const repos: PushedRepository[] = [];
    let last = after;
    while (repos.length < limit) {
      const found = await nextPushed(last);
      if (found === null) break;
      repos.push(found);
      last = { tenant_id: found.tenant_id, repo_key: found.repo_key };
    }
    return { repos };
  }

  /** One look-up or two, however many pushes a repository has. */
  async function nextPushed(after: RepositoryPlace | null): Promise<PushedRepository | null> {
    for (const run of runsOf({ after, upTo: null })) {
      const { filter, options } = PUSH_QUERIES.newestOfFirst(run);
      const found = await rfcs.findOne(filter, options);
      if (found?.push === undefined) continue;
      const { tenant_id, push, json } = found;
      return { tenant_id, repo_key: push.repo, record: parseRecord(json) };
    }
    return null;
  }

  async function queueDepth(): Promise<QueueDepth> {
    const { filter, options } = PUSH_QUERIES.oldestOpen();
    const [open, held, statuses_due, oldest] = await Promise.all([
      count(PUSH_QUERIES.open()),
      count(PUSH_QUERIES.held()),
      count(PUSH_QUERIES.statusesDue()),
      rfcs.findOne(filter, options),
    ]);
    return { open, held, oldest_at: oldest?.created_at ?? null, statuses_due };
  }

  function count({ filter, hint }: Counted): Promise<number> {
    return rfcs.countDocuments(filter, { hint, limit: PUSH_STORE.DEPTH_COUNTED_MAX });
  }

  return { newestPush, prodView: createProdReader(rfcs, fresh), listPushed, queueDepth };
}

/** Finds what a deployment depends on. */
function createProdReader(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  /** All three from after the same barrier; a deployment asks for them at once. */
  async function prodView(input: ProdInput): Promise<ProdView> {
    const { branch, commit_sha } = input;
    const repo = nameOf(input);
    return await fresh(async (at) => {
      const latest = QUERIES.latest({ ...repo, branch, commit_sha });
      const found = await rfcs.findOne(latest.filter, { ...latest.options, ...at });
      if (found === null) throw new CraError('NOT_FOUND', 'there is no RFC of this kind');
      const newest = prodFacts(parseRecord(found.json));
      const ofCommit = commit_sha === null ? null : PUSH_QUERIES.newestOfCommit(repo, commit_sha);
      const query = ofCommit ?? (await headThatCounts(repo, branch, at));
      if (query === null) return { newest, head: null };
      const projection = { ...query.options.projection, summary: 1 };
      const head = await rfcs.findOne(query.filter, { ...query.options, ...at, projection });
      if (head === null) return { newest, head: null };
      const { risk_score } = parseSummary(head.summary);
      return { newest, head: { ...viewOf(head, head.push?.ref ?? ''), risk_score } };
    });
  }

  /** Null: the repository has no pushes, or its host names no default branch. */
  async function headThatCounts(
    name: NamePlace,
    asked: string | null,
    at: Fresh,
  ): Promise<Query<RfcDocument> | null> {
    const { filter, options } = PUSH_QUERIES.newestOfName(name);
    const found = await rfcs.findOne(filter, { ...options, ...at });
    const branch = asked ?? (found && parseRecord(found.json).push?.default_branch) ?? null;
    if (found?.push === undefined || branch === null) return null;
    const repo = { tenant_id: name.tenant_id, repo_key: found.push.repo };
    return PUSH_QUERIES.newestOfRef(repo, BRANCH_PREFIX + branch);
  }

  return prodView;
}
