import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { createRandom, type Random } from '../../bench/random.ts';
import type { LockedPackage } from '../../src/gates/dependencies/locked-package.ts';
import { lockfileOf } from '../../src/gates/dependencies/lockfiles.ts';
import { normalised } from '../../src/gates/dependencies/python-names.ts';
import { cpuOf } from '../gates/configuration/run.ts';

/** Reads the notation of yarn 1 (`parseSyml` of @yarnpkg/parsers). */
export type ParseYarn = (text: string) => unknown;

type Members = Record<string, unknown>;

interface Notation {
  /** The parser of a package, of which packages are made as texts below. */
  parse(text: string, parseYarn: ParseYarn): unknown;
  /** What the parsed lockfile says of its packages. */
  listed(parsed: Members): string[];
  /** What our reader says, in the same form. */
  shown(one: LockedPackage): string[];
}

const maps = (value: unknown): Members[] => (Array.isArray(value) ? value : []).map(mapOf);
const mapOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};
const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
const sums = (hashes: readonly string[]) => [...hashes].sort().join(' ');
const valuesOf = ({ hashes }: LockedPackage) => sums(hashes.map(({ value }) => value));
const plainSum = (sum: unknown) => text(sum).replace(/^\w*:/, '');

const TOML: Notation = {
  parse: (lockfile) => parseToml(lockfile),
  listed: ({ package: packages }) =>
    maps(packages).map(({ name, version, checksum, files, wheels, sdist }) => {
      const archives = [...maps(files), ...maps(wheels), mapOf(sdist)];
      const hashes = archives.map(({ hash }) => plainSum(hash)).filter(Boolean);
      const own = checksum === undefined ? hashes : [text(checksum)];
      return `${normalised(text(name))}@${text(version)} ${sums(own)}`;
    }),
  shown: (one) => [
    `${normalised(one.name ?? '')}@${(one.version ?? '').split('#')[0]} ${valuesOf(one)}`,
  ],
};

const NOTATIONS: readonly { of: RegExp; notation: Notation }[] = [
  {
    of: /pnpm-lock\.yaml$/,
    notation: {
      parse: (lockfile) => parseYaml(lockfile),
      listed: ({ packages }) =>
        Object.entries(mapOf(packages)).map(([key, value]) => {
          const { integrity, tarball } = mapOf(mapOf(value)['resolution']);
          return `${key} ${sriValue(text(integrity))} ${text(tarball)}`;
        }),
      shown: (one) => {
        const isTarball = one.source !== null && !/^(?:git\+|link:)/.test(one.source);
        return [`${one.key} ${valuesOf(one)} ${isTarball ? one.source : ''}`];
      },
    },
  },
  {
    of: /yarn\.lock$/,
    notation: {
      parse: (lockfile, parseYarn) =>
        isYarn1(lockfile) ? parseYarn(lockfile) : parseYaml(lockfile),
      listed: (parsed) =>
        Object.entries(parsed).flatMap(([key, value]) => {
          if (key === '__metadata') return [];
          const { version, integrity, checksum } = mapOf(value);
          // Before it stands the version of the cache, or the algorithm.
          const sum = text(checksum ?? integrity).replace(/^(?:\w{1,6}\/|sha\d+-)/, '');
          return rangesOf(key).map((range) => `${range} ${text(version)} ${sum}`);
        }),
      shown: (one) => {
        const version = (one.version ?? '').split(/[+#]/)[0];
        const values = one.hashes.filter(({ algorithm }) => algorithm !== 'sha1');
        const all = sums(values.map(({ value }) => value));
        return rangesOf(one.key ?? '').map((range) => `${range} ${version} ${all}`);
      },
    },
  },
  { of: /(?:poetry|uv|Cargo)\.lock$/, notation: TOML },
];

/** Without its algorithm; programs skip a checksum whose algorithm they do not know. */
const sriValue = (integrity: string) =>
  /^(?:md5|sha1|sha256|sha384|sha512)-(.*)$/.exec(integrity)?.[1] ?? '';

/** One package may be chosen for several ranges. */
const rangesOf = (key: string) => key.replace(/"/g, '').split(/, /);

const isYarn1 = (lockfile: string) => lockfile.includes('# yarn lockfile v1');

/** Each lockfile is changed so often, in one to three places. */
const VARIANTS = 60;

export interface Parsed {
  /** Variants that a parser of a package and our reader both read. */
  read: number;
  /** Read by the parser, and refused by ours: a finding. */
  refused: number;
  /** Read by both, and not as the same: the texts of the first packages. */
  differing: string[];
  /** CPU of our reader beside that of the parser; null: too little to be measured. */
  ratio: number | null;
}

/** Compares a reader of lockfiles with a parser of a package; null: it reads no such notation. */
export function compareParsers(
  path: string,
  lockfile: string,
  parseYarn: ParseYarn,
): Parsed | null {
  const found = NOTATIONS.find(({ of }) => of.test(path));
  const kind = lockfileOf(path);
  if (found === undefined || kind === null) return null;
  const { parse, listed, shown } = found.notation;
  const random = createRandom(1);
  const result: Parsed = { read: 0, refused: 0, differing: [], ratio: null };
  for (let at = 0; at <= VARIANTS; at += 1) {
    const variant = at === 0 ? lockfile : varied(lockfile, random);
    let theirs: string[];
    try {
      theirs = listed(mapOf(parse(variant, parseYarn)));
    } catch {
      // The package manager refuses it as well.
      continue;
    }
    const { packages, problem } = kind.read(variant, false);
    if (problem !== null) {
      result.refused += 1;
      continue;
    }
    result.read += 1;
    const isOfPackages = (one: LockedPackage) =>
      !path.endsWith('.yaml') || one.source !== null || one.hashes.length > 0;
    const ours = new Set(packages.filter(isOfPackages).flatMap(shown));
    const missed = theirs.find((one) => !ours.has(one) && !/ {2}$/.test(one));
    if (missed !== undefined) result.differing.push(`variant ${at}: ${missed.slice(0, 200)}`);
  }
  const times = (call: () => unknown) => Math.min(...[1, 2, 3].map(() => cpuOf(call)));
  const theirs = times(() => parse(lockfile, parseYarn));
  if (theirs > 1) result.ratio = times(() => kind.read(lockfile, false)) / theirs;
  return result;
}

const SIGNS = ['"', "'", '\\', '#', ' ', ':', '{', '}', '[', ']', ',', '&', '*', '<<: ', '\t', '~'];

/** A lockfile with lines that are doubled, left out, moved, or have another sign in them. */
function varied(lockfile: string, { between, pick }: Random): string {
  const lines = lockfile.split('\n');
  const any = () => between(0, lines.length);
  for (let left = between(1, 4); left > 0; left -= 1) {
    const at = any();
    const line = lines[at] ?? '';
    const form = between(0, 6);
    const place = between(0, line.length + 1);
    const sign = pick(SIGNS);
    if (form === 0) lines.splice(at, 0, line);
    else if (form === 1) lines.splice(at, 1);
    else if (form === 2) lines.splice(any(), 0, line);
    else if (form === 3) lines[at] = line.slice(0, place) + sign + line.slice(place);
    else if (form === 4) lines[at] = `  ${line}`;
    else lines[at] = `${line}${sign}`;
  }
  return lines.join('\n');
}
