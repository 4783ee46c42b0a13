import {
  type ProdDecision,
  type ProdJudge,
  prodDecision,
  type Refusal,
} from '../heads/prod-check.ts';
import type { DeployHold, DeployParts, DeployPlace } from '../model/deploy.ts';
import { CraError } from '../model/errors.ts';
import { MAY_PASS_DEFAULT } from '../model/freeze.ts';
import type { Principal } from '../model/principal.ts';
import { approveUrl } from '../model/records.ts';
import { commitId } from '../model/rfc.ts';
import type { ActiveFreeze, FindFreezes } from './freezes.ts';
import type { DeployLedger } from './ledger.ts';
import { type DeployRange, judgeRange, RANGE, type RangeReads } from './range.ts';

/** The question whether a commit may go to an environment; null: not narrowed by this. */
export interface DeployQuestion {
  repo: string;
  environment: string;
  branch: string | null;
  sha: string | null;
  component: string | null;
}

/** The answer of `prod-check` about an environment. */
export interface DeployDecision extends ProdDecision {
  deploy: DeployParts;
}

/**
 * Answers whether a commit may be deployed to an environment: `prod-check` of the commit, and, when
 * the ledger knows what runs there, every RFC of the range between the two. A commit that ran there
 * before the freezes of now began, and stands as accepted, may always be deployed again: a rollback
 * does not wait. Without a commit, or without reports of the environment, `prod-check` answers
 * alone. Rejects like `ProdCheck`.
 */
export type DeployCheck = (
  principal: Principal,
  question: DeployQuestion,
) => Promise<DeployDecision>;

export interface DeployCheckOptions extends RangeReads, ProdJudge {
  ledger: Pick<DeployLedger, 'running' | 'ranBefore' | 'hasPassed'>;
  findFreezes: FindFreezes;
  /** Ms since the epoch. */
  now(): number;
  /** Address of the service for people, without `/api/cra`. */
  baseUrl(): string;
}

/** Creates the check. */
export function createDeployCheck(options: DeployCheckOptions): DeployCheck {
  const { judge, judgeEnd, ledger, findFreezes, now, baseUrl } = options;
  return async (principal, { environment, ...question }) => {
    const { repo, component } = question;
    const sha = question.sha === null ? null : commitId(question.sha);
    const { newest, refusal } = await judge(principal, question);
    const place = { environment, repo, component };
    const running = await ledger.running(principal, place);
    const freezes = await findFreezes(place, now());
    const before =
      sha === null || refusal !== null
        ? null
        : await ledger.ranBefore(principal, place, sha, firstSince(freezes));
    const plain = prodDecision(newest, refusal, baseUrl());
    const deploy = { environment, component, sha, running: running && shown(running) };
    if (before !== null) {
      const reason = `the commit ran in ${environment} (${before.at}) and stands as accepted`;
      const rest = { is_rollback: true, range: null, holds: [] };
      return { ...plain, allowed: true, reason, deploy: { ...deploy, ...rest } };
    }
    const ended = await judgeEnd(principal, repo);
    const own = [holdOf(refusal), holdOf(ended, 'acceptance')];
    const isSame = sha === running?.sha;
    const range =
      running === null || sha === null || isSame
        ? null
        : await rangeOf(principal, { repo, component, from: running.sha, to: sha }, options);
    const frozen = await freezeHolds(principal, place, { sha, freezes }, ledger);
    const holds = [...own, ...(range?.holds ?? []), ...frozen].filter((hold) => hold !== null);
    return {
      ...plain,
      ...leading(holds, baseUrl()),
      deploy: {
        ...deploy,
        is_rollback: false,
        range: range?.range ?? null,
        holds: holds.map((hold) => shownHold(hold, baseUrl())),
      },
    };
  };
}

/**
 * When the first of the freezes began, ISO 8601 (null: no start is known). A report that came
 * since then makes no rollback: it would let a commit pass that nobody let pass.
 */
function firstSince(freezes: readonly ActiveFreeze[]): string | null {
  const known = freezes.flatMap(({ since }) => since ?? []);
  return known.sort()[0] ?? null;
}

/** The least role that overrides and approves (spec, Roles). */
const DECIDES = 'cab-member';

/** What holds a deploy, and the RFC to decide about; null: no decision ends it. */
interface Hold extends Pick<DeployHold, 'kind' | 'reason'> {
  by: Refusal['by'] | null;
  /** The id of a freeze. */
  freeze?: string;
  /** Of a freeze with a known start: the least role that lets a commit pass it. */
  may_decide?: string;
}

function shownHold({ kind, reason, by, freeze, may_decide }: Hold, baseUrl: string): DeployHold {
  const decides = by === null || kind === 'waiting' ? null : DECIDES;
  return {
    kind,
    reason,
    rfc_id: by?.rfc_id ?? null,
    approve_url: by === null ? null : approveUrl(baseUrl, by.rfc_id),
    freeze: freeze ?? null,
    may_decide: may_decide ?? decides,
  };
}

function holdOf(refusal: Refusal | null, kind: DeployHold['kind'] | null = null): Hold | null {
  if (refusal === null) return null;
  const { reason, by } = refusal;
  return { kind: kind ?? (refusal.isWaiting === true ? 'waiting' : 'rfc'), reason, by };
}

/** The fields of `prod-check` by the first hold. */
function leading(holds: readonly Hold[], baseUrl: string) {
  const [first] = holds;
  if (first === undefined) return { allowed: true };
  const { reason, by } = first;
  if (by === null) return { allowed: false, reason };
  const { rfc_id: rfcId, risk_score: riskScore } = by;
  const link = approveUrl(baseUrl, rfcId);
  return { allowed: false, reason, rfcId, riskScore, approveUrl: link };
}

function shown({ sha, since }: { sha: string; since: string }): DeployParts['running'] {
  return { sha, since };
}

/** The range, and why it holds the deploy. */
async function rangeOf(
  principal: Principal,
  question: Parameters<typeof judgeRange>[1],
  reads: RangeReads,
): Promise<{ range: DeployParts['range']; holds: (Hold | null)[] }> {
  let judged: DeployRange;
  try {
    judged = await judgeRange(principal, question, reads);
  } catch (thrown) {
    if (!(thrown instanceof CraError) || thrown.code !== 'FAILED_PRECONDITION') throw thrown;
    // What was not looked at passes nothing.
    return { range: null, holds: [{ kind: 'range', reason: thrown.message, by: null }] };
  }
  const { commits, rfcs, rfcs_total, refusals, unjudged, unseen } = judged;
  const safe = rfcs.reduce((left, { risk_score }) => left * (1 - risk_score / 100), 1);
  return {
    range: { commits, rfcs, rfcs_total, joint_risk: Math.round(100 * (1 - safe)) },
    holds: [
      ...refusals.map(({ commit_sha, verdict: { refusal } }) =>
        holdOf(refusal && { ...refusal, reason: `commit ${commit_sha}: ${refusal.reason}` }),
      ),
      unjudged.length === 0 ? null : unjudgedHold(unjudged),
      unseen === 0 ? null : unseenHold(unseen),
    ],
  };
}

function unjudgedHold(shas: readonly string[]): Hold {
  const [first, ...others] = shas;
  const count = others.length === 0 ? '' : ` and ${others.length} others`;
  const reason = `no RFC judged commit ${first}${count}: push or submit them`;
  return { kind: 'unjudged', reason, by: null };
}

function unseenHold(count: number): Hold {
  const most = `at most ${RANGE.APART_MAX} commits behind no accepted push are judged one by one`;
  const reason = `${count} commits were not looked at: ${most}`;
  return { kind: 'range', reason, by: null };
}

/** Freezes that nobody has let the commit pass. */
async function freezeHolds(
  principal: Principal,
  place: DeployPlace,
  { sha, freezes }: { sha: string | null; freezes: readonly ActiveFreeze[] },
  ledger: DeployCheckOptions['ledger'],
): Promise<Hold[]> {
  const holds: Hold[] = [];
  for (const { freeze, since, until } of freezes) {
    const { id, reason: why, may_pass: may_decide = MAY_PASS_DEFAULT } = freeze;
    const pass = sha === null || since === null ? null : { sha, freeze: id, since };
    if (pass !== null && (await ledger.hasPassed(principal, place, pass))) continue;
    const reason = `the freeze ${id} holds deploys until ${until}: ${why}`;
    const hold = { kind: 'freeze', reason, by: null, freeze: id } as const;
    holds.push({ ...hold, ...(since !== null && { may_decide }) });
  }
  return holds;
}
