import { createKeyedMutex, createSemaphore, type Semaphore } from '../core/semaphore.ts';
import { createAppTokens } from '../hosts/github-app.ts';
import type { VcsHost } from '../hosts/settings.ts';
import { CraError, type StatusCode } from '../model/errors.ts';
import { SOURCE } from '../model/limits.ts';
import type { CallContext, Implementation } from '../rpc/service.ts';
import type { AncestryInput, PairInput, Source, TreePlace, Trees } from '../rpc/source-contract.ts';
import { ancestorsAmong, firstParents, isAncestor } from './commits.ts';
import { type FindWideContext, type ReadTimes, type RunGit, readBlobs, readRange } from './diff.ts';
import {
  type Address,
  addressOf,
  checkIds,
  formatOf,
  localEnvironment,
  setAttributes,
} from './environment.ts';
import {
  createGit,
  type Git,
  GitFailure,
  type GitOutput,
  isDamage,
  unavailable,
  unreadable,
} from './git.ts';
import { GIT } from './limits.ts';
import { createMirrors, createRead, type Mirror, openMirrorDirectory } from './mirrors.ts';
import { findReverts } from './reverts.ts';
import { isSameChange } from './same-change.ts';
import { bringCommits, createSync, hasCommit, readRefs, type SyncParts } from './sync.ts';
import { findMentions, readNames, readTexts } from './trees.ts';

/** The `workerData` of the thread that keeps the mirrors. */
export interface SourceThreadData {
  /** Made (0700) where it is absent; nobody else writes in it. */
  mirrorDir: string;
  hosts: readonly VcsHost[];
  /** All mirrors together; mirrors that were unused for longest go first. */
  mirrorBytesMax: number;
  /** Process groups that run, of `createGroups`: for code that outlives the thread. */
  groups: SharedArrayBuffer;
}

/** The mirrors of all repositories, and what is read from them. */
export interface OpenSource {
  methods: Implementation<typeof Source>;
  trees: Implementation<typeof Trees>;
  /** Ends what runs; no process is left. */
  close(): Promise<void>;
}

/** Opens the mirrors, with a git that `findVersion` found good. `times`: set by tests. */
export async function openSource(
  data: SourceThreadData,
  findWideContext: FindWideContext,
  times?: ReadTimes,
): Promise<OpenSource> {
  const { hosts, mirrorBytesMax: bytesMax } = data;
  const directory = openMirrorDirectory(data.mirrorDir);
  const git = createGit(directory, data.groups);
  const mutex = createKeyedMutex();
  const mirrors = createMirrors({ git, directory, bytesMax, isBusy: mutex.isTaken });
  const calls = new Map(hosts.map(({ id }) => [id, createSemaphore(HOST_CALLS)]));
  const parts = { git, mirrors, mutex, callHost: callsOf(calls, withAppTokens(hosts)) };
  const reads = createSemaphore({ places: GIT.READS_MAX });
  const { read } = createReading({ ...parts, reads });
  const { sync } = createSync(parts);
  const at = (input: { host: string; repo_full_name: string }) => addressOf(hosts, input);
  const readTree = <Result>(
    place: TreePlace,
    work: (run: RunGit) => Promise<Result>,
    stop: () => CraError | null,
  ) => {
    const inMirror = ({ dir, format }: Mirror) => work(runIn(git, dir, format, stop));
    return read(at(place), [place.commit], inMirror, stop);
  };

  return {
    methods: {
      sync: (input, context) => sync(at(input), input, stopOf(context)),
      async listRefs(input, context) {
        const address = at(input);
        const list = (known: Address) => readRefs(git, known, stopOf(context));
        const refs = await parts.callHost(address, list).catch((thrown) => {
          throw unavailable(thrown, address);
        });
        return { refs };
      },
      ancestry(input, context) {
        const work = (mirror: Mirror) => readAncestry(git, mirror, input, stopOf(context));
        checkPage(input);
        const ids = [input.from, ...(input.without ?? [])];
        return read(at(input), ids, work, stopOf(context));
      },
      areRelated(input, context) {
        const work = (mirror: Mirror) => readRelation(git, mirror, input, stopOf(context));
        return read(at(input), [input.one, input.other], work, stopOf(context));
      },
      isAncestor(input, context) {
        const work = (mirror: Mirror) => isAncestor(git, mirror, input, stopOf(context));
        return read(at(input), [input.one, input.other], work, stopOf(context));
      },
      ancestorsAmong(input, context) {
        const work = (mirror: Mirror) => ancestorsAmong(git, mirror, input, stopOf(context));
        return read(at(input), [input.head], work, stopOf(context));
      },
      firstParents(input, context) {
        const work = (mirror: Mirror) => firstParents(git, mirror, input, stopOf(context));
        checkPage({ ...input, skip: 0 });
        return read(at(input), [input.from], work, stopOf(context));
      },
      isSameChange(input, context) {
        const { base, head, decided } = input;
        const work = (mirror: Mirror) => isSameChange(git, mirror, input, stopOf(context));
        return read(at(input), [head, base, decided.head, decided.base], work, stopOf(context));
      },
      reverts(input, context) {
        const stop = stopOf(context);
        let leftMs: number = GIT.REVERTS_MS;
        // Each command has a turn of its own, so that no push waits for all of them. Only turns
        // count: the search of the next hour begins again, and behind many pushes none would end.
        return findReverts((args, options) => {
          const work = async (mirror: Mirror) => {
            const begunAt = performance.now();
            setAttributes(mirror.dir, { kind: 'content' });
            try {
              return await createRead(git, mirror, stop)(args, { ...options, withinMs: leftMs });
            } finally {
              leftMs -= performance.now() - begunAt;
            }
          };
          return read(at(input), [input.head], work, stop);
        }, input);
      },
      diff(input, context) {
        const ids = input.base === null ? [input.head] : [input.head, input.base];
        const withoutRenames = input.without_renames === true;
        const how = { ...(times === undefined ? {} : { times }), withoutRenames };
        const work = (mirror: Mirror) =>
          readRange(git, mirror, input, findWideContext, stopOf(context), how);
        return read(at(input), ids, work, stopOf(context));
      },
      async blobs(input, context) {
        const { base, head, wants } = input;
        const stop = stopOf(context);
        const bytesMax = Math.min(input.bytes_max, SOURCE.BLOBS_BYTES_MAX);
        const work = ({ dir, format }: Mirror) =>
          readBlobs(runIn(git, dir, format, stop), { base, head }, wants, bytesMax);
        const files = await read(at(input), base === null ? [head] : [head, base], work, stop);
        return { files };
      },
    },
    trees: {
      async texts(place, context) {
        const { commit, paths } = place;
        const work = (run: RunGit) => readTexts(run, commit, paths);
        return readTree(place, work, stopOf(context));
      },
      async names(place, context) {
        const { commit, folders } = place;
        const work = (run: RunGit) => readNames(run, commit, folders);
        return { names: await readTree(place, work, stopOf(context)) };
      },
      async mentions(place, context) {
        const { commit, paths, words } = place;
        const work = (run: RunGit) => findMentions(run, commit, paths, words);
        return readTree(place, work, stopOf(context));
      },
    },
    close: git.close,
  };
}

function runIn(
  git: Git,
  dir: string,
  format: Mirror['format'],
  stop: () => CraError | null,
): RunGit {
  const env = localEnvironment(dir, format);
  return async (args, options) => (await git.run(args, { env, stop, ...options })).bytes;
}

const HOST_CALLS = { places: GIT.HOST_CALLS_MAX };

/** A few calls of one host at once; its repositories share them fairly. */
function callsOf(
  calls: ReadonlyMap<string, Semaphore>,
  withToken: (address: Address) => Promise<Address>,
): SyncParts['callHost'] {
  const others = createSemaphore(HOST_CALLS);
  return (address, task) => {
    const places = calls.get(address.host.id) ?? others;
    return places.use(address.key, async () => task(await withToken(address)));
  };
}

/**
 * Gives an address the token with which an App may read its repository; other hosts have theirs.
 * Rejects with UNAVAILABLE when the host gives no token.
 */
function withAppTokens(hosts: readonly VcsHost[]): (address: Address) => Promise<Address> {
  const options = { deadlineMs: GIT.APP_TOKEN_DEADLINE_MS, now: Date.now };
  const byHost = new Map(hosts.map((host) => [host.id, createAppTokens(host, options)]));
  const { signal } = new AbortController();
  return async (address) => {
    const { host, repo } = address;
    const tokens = byHost.get(host.id) ?? null;
    if (tokens === null) return address;
    const result = await tokens.tokenFor(repo, signal);
    if ('token' in result) return { ...address, host: { ...host, token: result.token } };
    const { reason } = result.problem;
    throw new CraError('UNAVAILABLE', reason, { details: { reason } });
  };
}

const STOPPED: Partial<Record<StatusCode, string>> = {
  DEADLINE_EXCEEDED: 'git did not end within its time',
  CANCELLED: 'the result is of no use any more',
};

function stopOf(context: CallContext): () => CraError | null {
  return () => {
    const stop = context.stopReason();
    if (stop === null) return null;
    const reason = STOPPED[stop.code] ?? stop.message;
    return new CraError(stop.code, reason, { details: { reason } });
  };
}

function checkPage({ from, without = [], skip, limit }: AncestryInput): void {
  checkIds([from, ...without]);
  const isPage = Number.isSafeInteger(skip) && skip >= 0 && Number.isSafeInteger(limit);
  if (!isPage || limit < 1 || limit > SOURCE.ANCESTRY_PAGE_MAX) {
    const message = `a page has 1 to ${SOURCE.ANCESTRY_PAGE_MAX} commits`;
    throw new CraError('INVALID_ARGUMENT', message, { details: { reason: message } });
  }
}

async function readAncestry(
  git: Git,
  mirror: Mirror,
  { from, without = [], skip, limit }: AncestryInput,
  stop: () => CraError | null,
): Promise<{ shas: string[]; hasMore: boolean }> {
  // One more than asked for tells whether there is more.
  const page = [`--skip=${skip}`, `--max-count=${limit + 1}`];
  const env = localEnvironment(mirror.dir, mirror.format);
  // More ids than arguments may hold.
  const input = Buffer.from([from, ...without.map((id) => `^${id}`), ''].join('\n'));
  const args = ['rev-list', ...page, '--stdin'];
  const { bytes } = await git.run(args, { env, input, bytesMax: GIT.LIST_BYTES_MAX, stop });
  const shas = bytes.toString('latin1').split('\n').filter(Boolean);
  return { shas: shas.slice(0, limit), hasMore: shas.length > limit };
}

async function readRelation(
  git: Git,
  mirror: Mirror,
  { one, other }: PairInput,
  stop: () => CraError | null,
): Promise<{ related: boolean }> {
  const args = ['merge-base', '--end-of-options', one, other];
  const { code } = await inMirror(git, mirror, args, stop, [1]);
  return { related: code === 0 };
}

function inMirror(
  git: Git,
  { dir, format }: Mirror,
  args: readonly string[],
  stop: () => CraError | null,
  codes: readonly number[] = [],
): Promise<GitOutput> {
  const env = localEnvironment(dir, format);
  return git.run(args, { env, bytesMax: GIT.LIST_BYTES_MAX, codes, stop });
}

type Stop = () => CraError | null;

/** Reads of mirrors, which repair a mirror first where needed. */
interface Reading {
  /**
   * Runs `work` on the mirror that has these commits. What is missing (the mirror may have had to
   * make room) is fetched, a damaged mirror is made again, each once. Rejects with NOT_FOUND when
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
function createReading(parts: SyncParts & { reads: Semaphore }): Reading {
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
