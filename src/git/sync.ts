import type { KeyedMutex } from '../core/semaphore.ts';
import { CraError } from '../model/errors.ts';
import type { SyncInput, SyncOutput } from '../rpc/source-contract.ts';
import { type Address, checkIds, checkRefs } from './address.ts';
import { formatOf } from './environment.ts';
import { type Git, GitFailure } from './git.ts';
import { isDamage, unavailable } from './git-errors.ts';
import { GIT } from './limits.ts';
import type { Mirror, Mirrors } from './mirrors.ts';
import { fetchCommits, hasCommit, readRefs, tidy } from './remote.ts';

/** The parts of calls that speak to a host. */
export interface SyncParts {
  git: Git;
  mirrors: Mirrors;
  /** By `Address.key`: of one repository one call at a time. */
  mutex: KeyedMutex;
  /** Runs a task that calls the host of an address. */
  callHost<Result>(address: Address, task: () => Promise<Result>): Promise<Result>;
}

type Stop = () => CraError | null;

/** The `sync` of the contract. */
export function createSync(parts: SyncParts): {
  sync(address: Address, input: SyncInput, stop: Stop): Promise<SyncOutput>;
} {
  return {
    sync(address, input, stop) {
      const { wants, refs } = input;
      checkIds(wants);
      checkRefs(refs);
      if (wants.length + refs.length > GIT.IDS_MAX) throw tooMany();
      return parts.mutex.use(address.key, () => syncNow(parts, address, input, stop));
    },
  };
}

async function syncNow(
  parts: SyncParts,
  address: Address,
  { wants, refs: names }: SyncInput,
  stop: Stop,
): Promise<SyncOutput> {
  const { git, mirrors } = parts;
  const refs = await attempt(address, () =>
    parts.callHost(address, () => readRefs(git, address, stop)),
  );
  if (refs instanceof CraError) return withoutHost(parts, address, wants, refs, stop);
  const heads = names.map((name) => refs[name]).filter((id) => id !== undefined);
  const needed = [...new Set([...wants, ...heads])];
  const first = Object.values(refs)[0] ?? needed[0];
  if (first === undefined) return { refs, missing: [], problem: null };
  // A repository has ids of one kind; others are of no commit of it.
  const format = formatOf(first);
  const fitting = needed.filter((id) => formatOf(id) === format);
  let mirror = await mirrors.open(address, format, stop);
  try {
    const brought = await attempt(address, () => bringCommits(parts, mirror, fitting, stop));
    if (brought instanceof CraError) {
      return await withoutHost(parts, address, wants, brought, stop);
    }
    mirror = brought;
    return { refs, missing: await missingOf(git, mirror, wants, stop), problem: null };
  } finally {
    await mirrors.leave(mirror);
  }
}

/** The error, where the host is to blame for it: what is in the mirror may do without. */
async function attempt<Result>(
  address: Address,
  task: () => Promise<Result>,
): Promise<Result | CraError> {
  try {
    return await task();
  } catch (thrown) {
    const error = unavailable(thrown, address);
    if (error.code !== 'UNAVAILABLE') throw error;
    return error;
  }
}

/** What the mirror has will do; UNAVAILABLE when it lacks anything. */
async function withoutHost(
  { git, mirrors }: SyncParts,
  address: Address,
  wants: readonly string[],
  error: CraError,
  stop: Stop,
): Promise<SyncOutput> {
  const [first] = wants;
  if (first !== undefined) {
    const mirror = await mirrors.open(address, formatOf(first), stop);
    const missing = await missingOf(git, mirror, wants, stop).finally(() => mirrors.leave(mirror));
    if (missing.length > 0) throw error;
  }
  return { refs: null, missing: [], problem: error.message };
}

async function missingOf(
  git: Git,
  mirror: Mirror,
  wants: readonly string[],
  stop: Stop,
): Promise<string[]> {
  const missing: string[] = [];
  for (const id of new Set(wants)) {
    const isHere = formatOf(id) === mirror.format && (await hasCommit(git, mirror, id, stop));
    if (!isHere) missing.push(id);
  }
  return missing;
}

/**
 * Fetches what is missing; a mirror that turns out to be damaged is made anew, once. Returns the
 * mirror that holds it now.
 */
export async function bringCommits(
  parts: SyncParts,
  mirror: Mirror,
  ids: readonly string[],
  stop: Stop,
): Promise<Mirror> {
  const { git, mirrors } = parts;
  const fetchInto = async (target: Mirror) => {
    const stopOrFull = () => stop() ?? mirrors.checkSpace(target);
    await parts.callHost(target.address, () => fetchCommits(git, target, ids, stopOrFull));
    // A fetch that is over before it was looked at is refused all the same.
    const refusal = mirrors.checkSpace(target);
    if (refusal !== null) throw refusal;
  };
  try {
    await fetchInto(mirror);
  } catch (thrown) {
    if (!(thrown instanceof GitFailure) || !isDamage(thrown)) throw thrown;
    const fresh = await mirrors.remake(mirror, stop);
    await fetchInto(fresh);
    return fresh;
  }
  await tidy(git, mirror, stop).catch((thrown: unknown) => {
    // An untidy mirror is slow, not wrong. A damaged one is found when it is read.
    if (!(thrown instanceof GitFailure)) throw thrown;
  });
  return mirror;
}

function tooMany(): CraError {
  const reason = `at most ${GIT.IDS_MAX} commits and refs can be asked for at once`;
  return new CraError('INVALID_ARGUMENT', reason, { details: { reason } });
}
