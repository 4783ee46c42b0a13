import type { Semaphore } from '../core/semaphore.ts';
import { CraError } from '../model/errors.ts';
import { type Address, checkIds } from './address.ts';
import { GitFailure } from './git.ts';
import { isDamage, unavailable, unreadable } from './git-errors.ts';
import type { Mirror } from './mirrors.ts';
import { formatOf } from './object-format.ts';
import { hasCommit } from './remote.ts';
import { bringCommits, type SyncParts } from './sync.ts';

type Stop = () => CraError | null;

/** Reads of mirrors, with what they need put right first. */
export interface Reading {
  /**
   * Runs `work` on the mirror that has these commits. What is missing (the mirror may have had to
   * make room) is fetched, a damaged mirror is made anew, each once. Rejects with NOT_FOUND when
   * the host has no such commit, UNAVAILABLE when it cannot be asked, DATA_LOSS when nothing helps.
   */
  read<Result>(
    address: Address,
    ids: readonly string[],
    work: (mirror: Mirror) => Promise<Result>,
    stop: Stop,
  ): Promise<Result>;
}

/** Reads that share these parts with `sync`. */
export function createReading(parts: SyncParts & { reads: Semaphore }): Reading {
  const { git, mirrors, mutex, reads } = parts;

  async function readNow<Result>(
    address: Address,
    ids: readonly string[],
    work: (mirror: Mirror) => Promise<Result>,
    stop: Stop,
  ): Promise<Result> {
    const format = formatOf(ids[0] ?? '');
    let mirror = await mirrors.open(address, format, stop).catch((thrown: unknown) => {
      throw unreadable(thrown);
    });
    const run = () => reads.use(address.host.id, () => work(mirror));
    try {
      const failure = await run().then((result) => ({ result }), onlyFailure);
      if ('result' in failure) return failure.result;
      const isHere = ids.every((id) => mirror.kept.has(id));
      if (isHere && !isDamage(failure)) throw failure;
      if (isHere) mirror = await mirrors.remake(mirror, stop);
      mirror = await bring(mirror, ids, stop);
      const second = await run().then((result) => ({ result }), onlyFailure);
      if ('result' in second) return second.result;
      if (isHere || !isDamage(second)) throw second;
      mirror = await bring(await mirrors.remake(mirror, stop), ids, stop);
      return await run();
    } catch (thrown) {
      throw unreadable(thrown);
    } finally {
      await mirrors.leave(mirror);
    }
  }

  async function bring(mirror: Mirror, ids: readonly string[], stop: Stop): Promise<Mirror> {
    const { address } = mirror;
    const brought = await bringCommits(parts, mirror, ids, stop).catch((thrown) => {
      throw unavailable(thrown, address);
    });
    for (const id of ids) {
      if (!(await hasCommit(git, brought, id, stop))) throw notFound(id);
    }
    return brought;
  }

  return {
    async read(address, ids, work, stop) {
      checkIds(ids);
      if (new Set(ids.map(formatOf)).size > 1) throw notFound(ids.at(-1) ?? '');
      return mutex.use(address.key, () => readNow(address, ids, work, stop));
    },
  };
}

/** A failure of git as a value; whatever else was thrown goes on. */
function onlyFailure(thrown: unknown): GitFailure {
  if (thrown instanceof GitFailure) return thrown;
  throw thrown;
}

function notFound(id: string): CraError {
  const reason = `commit ${id} is neither in the mirror nor on the host`;
  return new CraError('NOT_FOUND', reason, { details: { reason } });
}
