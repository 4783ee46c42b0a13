import { reachProblem, readBody, startDeadline } from '../../core/deadline.ts';
import type { RegistryPlace, RegistrySettings } from '../../model/dependencies.ts';
import type { Ecosystem } from './lockfiles.ts';
import { normalised } from './python-names.ts';

/** A version of a package that a change brings in. */
export interface Arrival {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  /** The only version before; null: the package is new, or had several. */
  from: string | null;
}

/** What a registry says of a version of a package; null: it does not have it. */
export type RegistryFacts = {
  /** Null: it does not say. */
  publishedMs: number | null;
  withdrawn: 'yanked' | 'deprecated' | null;
  /** Who published it without having maintained the version before; null: nobody, or not known. */
  newPublisher: string | null;
} | null;

interface RegistryAnswers<A> {
  answered: readonly { arrival: A; facts: RegistryFacts }[];
  /** Packages of which nothing was heard. */
  unanswered: number;
  /** Why, of the first of them. */
  problem: string | null;
}

export interface Registry extends Pick<RegistrySettings, 'hoursMin' | 'holds'> {
  /** Asks about the packages that a registry is set for. Never rejects. */
  ask<A extends Arrival>(arrivals: readonly A[], nowMs: number): Promise<RegistryAnswers<A>>;
}

/**
 * Names that the registries can have (npm, package.json `name`; PyPI, the core metadata). Another
 * one is in neither, and could lead elsewhere as a part of an address.
 */
const NAMES: Readonly<Record<'npm' | 'pypi', RegExp>> = {
  npm: /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/,
  pypi: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i,
};

const REGISTRY = {
  /** Packages of one change that are asked about. */
  PACKAGES_MAX: 200,
  CALLS_AT_A_TIME: 8,
  /** For all packages of one change: a scan thread waits, and counts as lost after 5 s. */
  DEADLINE_MS: 3_000,
  /** How long a registry that did not answer is left alone, so that other changes need not wait. */
  PAUSE_MS: 30_000,
  /** About one package: some have thousands of versions. */
  ANSWER_BYTES_MAX: 32 * 1024 * 1024,
  /** Versions that are remembered, and for how long: one may be yanked at any time. */
  CACHED_MAX: 10_000,
  CACHED_MS: 10 * 60_000,
} as const;

/**
 * Creates a client that asks the set registries and no other host: redirects are not followed.
 * `deadlineMs` is for all packages of one change.
 * What they answer is remembered for REGISTRY.CACHED_MS; that one is out of reach for PAUSE_MS.
 */
export function createRegistry(
  settings: RegistrySettings,
  deadlineMs: number = REGISTRY.DEADLINE_MS,
): Registry {
  const cache = new Map<string, { facts: RegistryFacts; untilMs: number }>();
  const paused = new Map<RegistryPlace, { problem: string; untilMs: number }>();
  const placeOf = ({ ecosystem }: Arrival) =>
    ecosystem === 'npm' || ecosystem === 'pypi' ? settings[ecosystem] : null;
  async function answerOf(arrival: Arrival, place: RegistryPlace, signal: AbortSignal) {
    const pause = paused.get(place);
    if (pause !== undefined && pause.untilMs > performance.now()) return pause;
    const answer = await askAbout(arrival, place, signal);
    if ('isOut' in answer) {
      paused.set(place, {
        problem: answer.problem,
        untilMs: performance.now() + REGISTRY.PAUSE_MS,
      });
    }
    return answer;
  }
  const remember = (key: string, facts: RegistryFacts, nowMs: number) => {
    const [oldest] = cache.keys();
    if (cache.size >= REGISTRY.CACHED_MAX && oldest !== undefined) cache.delete(oldest);
    cache.set(key, { facts, untilMs: nowMs + REGISTRY.CACHED_MS });
  };
  return {
    hoursMin: settings.hoursMin,
    holds: settings.holds,

    async ask<A extends Arrival>(arrivals: readonly A[], nowMs: number) {
      const asked = new Map(
        arrivals.flatMap((one) => (placeOf(one) === null ? [] : [[keyOf(one), one]])),
      );
      const answered: { arrival: A; facts: RegistryFacts }[] = [];
      const queue: A[] = [];
      for (const [key, arrival] of asked) {
        const known = cache.get(key);
        const isFresh = known !== undefined && known.untilMs > nowMs;
        if (isFresh) answered.push({ arrival, facts: known.facts });
        else queue.push(arrival);
      }
      const left = queue.splice(REGISTRY.PACKAGES_MAX).length;
      let unanswered = left;
      let problem = left === 0 ? null : `it brings more than ${REGISTRY.PACKAGES_MAX} packages`;
      const deadline = startDeadline(deadlineMs, []);
      const work = async () => {
        for (let arrival = queue.shift(); arrival !== undefined; arrival = queue.shift()) {
          const place = placeOf(arrival);
          if (place === null) continue;
          const answer = await answerOf(arrival, place, deadline.signal);
          if ('problem' in answer) {
            unanswered += 1;
            problem ??= answer.problem;
            continue;
          }
          answered.push({ arrival, facts: answer.facts });
          remember(keyOf(arrival), answer.facts, nowMs);
        }
      };
      await Promise.all(Array.from({ length: REGISTRY.CALLS_AT_A_TIME }, work));
      deadline.clear();
      const undated = answered.filter(({ facts }) => facts?.publishedMs === null).length;
      if (undated > 0 && settings.hoursMin > 0) {
        unanswered += undated;
        problem ??= 'the registry does not say when they were published';
      }
      return { answered, unanswered, problem };
    },
  };
}

function keyOf({ ecosystem, name, version, from }: Arrival): string {
  return JSON.stringify([ecosystem, name, version, from]);
}

/**
 * The metadata of a package: of npm the whole document, as its short form has no times; of PyPI
 * the JSON of the index (PEP 691, and 700 for times), which mirrors have as well.
 */
async function askAbout(
  arrival: Arrival,
  { url, token }: RegistryPlace,
  signal: AbortSignal,
): Promise<{ facts: RegistryFacts } | { problem: string; isOut?: true }> {
  const isNpm = arrival.ecosystem === 'npm';
  if (!NAMES[isNpm ? 'npm' : 'pypi'].test(arrival.name)) return { facts: null };
  const name = encodeURIComponent(isNpm ? arrival.name : normalised(arrival.name));
  const path = isNpm ? name.replace(/^%40/, '@') : `${name}/`;
  const accept = isNpm ? 'application/json' : 'application/vnd.pypi.simple.v1+json';
  try {
    const response = await fetch(`${url}/${path}`, {
      headers: { 'User-Agent': 'cra', Accept: accept, ...authorization(token) },
      redirect: 'manual',
      signal,
    });
    if (response.status === 404 || response.status === 410) {
      await response.body?.cancel();
      return { facts: null };
    }
    if (response.status !== 200) {
      await response.body?.cancel();
      return { problem: `the registry answers ${response.status}` };
    }
    const bytes = await readBody(response, signal, REGISTRY.ANSWER_BYTES_MAX);
    if (bytes === null) return { problem: 'the registry answers too much' };
    const answer = mapOf(parse(bytes));
    if (answer === null) return { problem: 'the registry answers no JSON' };
    return { facts: isNpm ? npmFacts(answer, arrival) : pypiFacts(answer, arrival) };
  } catch (thrown) {
    if (signal.aborted) return { problem: 'the registry does not answer in time', isOut: true };
    return { problem: `the registry is ${reachProblem(thrown)}`, isOut: true };
  }
}

function authorization(token: string): Record<string, string> {
  if (token === '') return {};
  const isPair = token.includes(':');
  const basic = `Basic ${Buffer.from(token).toString('base64')}`;
  return { Authorization: isPair ? basic : `Bearer ${token}` };
}

function npmFacts(answer: JsonMap, { version, from }: Arrival): RegistryFacts {
  const versions = mapOf(answer['versions']) ?? {};
  const own = mapOf(Object.hasOwn(versions, version) ? versions[version] : null);
  if (own === null) return null;
  const isBefore = from !== null && Object.hasOwn(versions, from);
  const before = isBefore ? mapOf(versions[from]) : null;
  const publisher = nameIn(own['_npmUser']);
  const earlier = before === null ? [] : [before['_npmUser'], before['maintainers']].flat();
  const names = earlier.flatMap((one) => nameIn(one) ?? []);
  const isNew = publisher !== null && names.length > 0 && !names.includes(publisher);
  const { deprecated } = own;
  return {
    publishedMs: timeOf(mapOf(answer['time'])?.[version]),
    // An empty text is written to end it.
    withdrawn: deprecated === true || isText(deprecated) ? 'deprecated' : null,
    newPublisher: isNew ? publisher : null,
  };
}

function pypiFacts(answer: JsonMap, { version }: Arrival): RegistryFacts {
  const { files } = answer;
  const own = (Array.isArray(files) ? files : []).flatMap((file: unknown) => {
    const known = mapOf(file);
    return known !== null && versionIn(known['filename']) === version ? [known] : [];
  });
  if (own.length === 0) return null;
  const times = own.flatMap((file) => timeOf(file['upload-time']) ?? []);
  const isYanked = own.some(({ yanked }) => yanked === true || isText(yanked));
  return {
    // Further files may be added to an old version, and one of them may be installed.
    publishedMs: times.length === 0 ? null : Math.max(...times),
    withdrawn: isYanked ? 'yanked' : null,
    newPublisher: null,
  };
}

/** The version in the name of a wheel or of an archive of sources; null: in another name. */
function versionIn(filename: unknown): string | null {
  if (typeof filename !== 'string') return null;
  if (filename.endsWith('.whl')) return filename.split('-')[1] ?? null;
  const stem = filename.replace(/\.(?:tar\.(?:gz|bz2|xz)|zip)$/, '');
  return stem === filename ? null : stem.slice(stem.lastIndexOf('-') + 1);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

type JsonMap = Readonly<Record<string, unknown>>;

function mapOf(value: unknown): JsonMap | null {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap ? (value as JsonMap) : null;
}

function nameIn(person: unknown): string | null {
  const name = mapOf(person)?.['name'];
  return isText(name) ? name : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function timeOf(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
