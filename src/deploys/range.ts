import type { ProdJudge, ProdVerdict } from '../heads/prod-check.ts';
import { CraError, unlessNotFound } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { repositoryKey } from '../model/push.ts';
import { type RfcRecord, viewedRecord } from '../model/records.ts';
import type { Client } from '../rpc/service.ts';
import type { Source, SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { PUSH_STORE } from '../store/limits.ts';

/** Bounds of the commits between what runs and what is to be deployed. */
export const RANGE = {
  COMMITS_MAX: 5_000,
  /** Commits behind no accepted push that are judged one by one. */
  APART_MAX: 500,
  /** RFCs whose risk is joined, and that are listed: the newest. */
  RFCS_MAX: 100,
} as const;

/** The question of a range. */
export interface RangeQuestion {
  repo: string;
  component: string | null;
  /** The commit that runs. */
  from: string;
  /** The commit that is to be deployed; an RFC of it was judged already. */
  to: string;
}

/** An RFC of a commit of the range. */
export interface RangeRfc {
  rfc_id: string;
  commit_sha: string;
  overall_status: RfcRecord['overall_status'];
  risk_score: number;
}

/** What the commits of a range come to. */
export interface DeployRange {
  /** Commits of `to` that `from` does not have. */
  commits: number;
  /** The newest first, whether they let the range pass or hold it. */
  rfcs: RangeRfc[];
  rfcs_total: number;
  /** Refusals of commits that no accepted push on top of them judged again. */
  refusals: { commit_sha: string; verdict: ProdVerdict }[];
  /** Commits that no RFC judged, the newest first. */
  unjudged: string[];
  /** Commits that were not looked at, as more of them need an RFC of their own than `APART_MAX`. */
  unseen: number;
}

export interface RangeReads extends Pick<ProdJudge, 'judge'> {
  source: Pick<Client<typeof Source>, 'ancestry'>;
  pushes: Pick<PushStore, 'newestPush' | 'acceptedHeads'>;
  records: Pick<RecordStore, 'getRfc'>;
}

/**
 * Judges the commits of a range. An accepted push answers for all commits behind it, as its range
 * began at an accepted head (docs/why/heads.md): a BLOCKED push that a later one repaired holds
 * nothing. Every other commit needs an RFC of its own that lets it pass. Rejects with
 * FAILED_PRECONDITION, in words for the caller, when the commits cannot be listed.
 */
export async function judgeRange(
  principal: Principal,
  question: RangeQuestion,
  reads: RangeReads,
): Promise<DeployRange> {
  const { tenant_id } = principal;
  const { from, to } = question;
  const place = await findRepository(tenant_id, question.repo, reads.pushes);
  const list = async (without: string[]) => {
    const asked = { ...place.repository, from: to, without, skip: 0, limit: RANGE.COMMITS_MAX };
    return await reads.source.ancestry(asked).catch(failRange);
  };
  const { shas, hasMore } = await list([from]);
  if (hasMore) {
    throw unlisted(`there are more than ${RANGE.COMMITS_MAX} commits between ${from} and ${to}`);
  }
  const accepted = await acceptedAmong(tenant_id, place.repo_key, shas, reads.pushes);
  const behind = [from, ...accepted.keys()];
  const { shas: apart } = accepted.size === 0 ? { shas } : await list(behind);
  const looked = new Set(apart.slice(0, RANGE.APART_MAX));
  const own = await judgeApart(principal, question, looked, reads.judge);
  const passing = [...own].filter(([, { refusal }]) => refusal === null);
  // Of a component: pushes that it accepts, whatever is said of the rest of the repository.
  const passed = passing.filter(([, { head }]) => head?.isAccepted === true);
  const rest =
    passed.length === 0 ? apart : (await list([...behind, ...passed.map(([sha]) => sha)])).shas;
  const held = rest.filter((sha) => sha !== to);
  const judged = new Map([
    ...accepted,
    ...passing.map(([sha, { newest }]) => [sha, newest.rfc_id] as const),
  ]);
  const refusals = held.flatMap((commit_sha) => {
    const verdict = own.get(commit_sha);
    return verdict?.refusal ? [{ commit_sha, verdict }] : [];
  });
  for (const { commit_sha, verdict } of refusals) judged.set(commit_sha, verdict.newest.rfc_id);
  const ids = shas.flatMap((sha) => judged.get(sha) ?? []);
  return {
    commits: shas.length,
    rfcs: await readRfcs(tenant_id, ids.slice(0, RANGE.RFCS_MAX), reads.records),
    rfcs_total: ids.length,
    refusals,
    unjudged: held.filter((sha) => looked.has(sha) && !own.has(sha)),
    unseen: held.filter((sha) => !looked.has(sha)).length,
  };
}

/** The repository at its host, as its newest push tells. */
async function findRepository(
  tenant_id: string,
  repo_name: string,
  pushes: RangeReads['pushes'],
): Promise<{ repository: SourceRepository; repo_key: string }> {
  const found = await pushes.newestPush({ tenant_id, repo_name }).catch(unlessNotFound);
  const record = found && viewedRecord(found);
  if (record?.push == null || record.repo_full_name === null) {
    throw unlisted('no webhook reports pushes of this repository, so there is no mirror of it');
  }
  const repository = { host: record.push.host, repo_full_name: record.repo_full_name };
  return { repository, repo_key: repositoryKey(record) };
}

/** The accepted heads among commits, with their RFCs; the baseline has none. */
export async function acceptedAmong(
  tenant_id: string,
  repo_key: string,
  shas: readonly string[],
  pushes: Pick<PushStore, 'acceptedHeads'>,
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  for (let at = 0; at < shas.length; at += PUSH_STORE.HEADS_PER_CALL_MAX) {
    const part = shas.slice(at, at + PUSH_STORE.HEADS_PER_CALL_MAX);
    const { accepted } = await pushes.acceptedHeads({ tenant_id, repo_key, shas: part });
    for (const { sha, rfc_id } of accepted) found.set(sha, rfc_id);
  }
  return found;
}

/** What RFCs say of single commits; a commit without one is left out. */
async function judgeApart(
  principal: Principal,
  { repo, component }: RangeQuestion,
  shas: Iterable<string>,
  judge: ProdJudge['judge'],
): Promise<Map<string, ProdVerdict>> {
  const verdicts = new Map<string, ProdVerdict>();
  for (const sha of shas) {
    const asked = { repo, branch: null, sha, component };
    const verdict = await judge(principal, asked).catch(unlessNotFound);
    if (verdict !== null) verdicts.set(sha, verdict);
  }
  return verdicts;
}

async function readRfcs(
  tenant_id: string,
  ids: readonly string[],
  records: RangeReads['records'],
): Promise<RangeRfc[]> {
  const found: RangeRfc[] = [];
  for (const rfc_id of ids) {
    const view = await records.getRfc({ tenant_id, rfc_id }).catch(unlessNotFound);
    if (view === null) continue;
    const { overall_status, risk_score, commit_sha } = viewedRecord(view);
    found.push({ rfc_id, commit_sha: commit_sha ?? '', overall_status, risk_score });
  }
  return found;
}

/** Git and the hosts say why in words for callers. */
function failRange(thrown: unknown): never {
  const { code, details, message } = CraError.fromUnknown(thrown);
  if (code === 'INTERNAL') throw thrown;
  throw unlisted(typeof details['reason'] === 'string' ? details['reason'] : message);
}

function unlisted(why: string): CraError {
  return new CraError('FAILED_PRECONDITION', `the commits of this deploy cannot be listed: ${why}`);
}
