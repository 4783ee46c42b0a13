import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { Ecosystem } from './lockfiles.ts';
import { normalised } from './python-names.ts';

/** A package that a change asks for, or asks for otherwise than before. */
export interface AskedPackage {
  name: string;
  /** The name under which others import it, if that is another one (`npm:name`). */
  alias: string | null;
  /** The file did not ask for it before, as far as the hunks show. */
  isNew: boolean;
  ecosystem: Ecosystem;
  /** In the new file, from 1. */
  line: number;
  text: string;
}

/** How a line of a manifest asks for a package; its first group is the name. */
const MANIFESTS: readonly { file: RegExp; ecosystem: Ecosystem; line: RegExp }[] = [
  {
    file: /(?:^|\/)package\.json$/,
    ecosystem: 'npm',
    // A range, a tag or an alias: other members of the file hold other texts.
    line: /^\s*"((?:@[\w.-]+\/)?[\w.-]+)"\s*:\s*"(?:[~^<>=v]*\s?\d+(?:\.[\dx*]+)*[^"/]*|\*|latest|next|npm:[^"]+)",?\s*$/,
  },
  {
    file: /(?:^|\/)(?:requirements[^/]*\.(?:txt|in)|constraints[^/]*\.txt)$|(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/,
    ecosystem: 'pypi',
    line: /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s?(?:[=<>!~;#]|$)/,
  },
  {
    file: /(?:^|\/)(?:pyproject\.toml|Pipfile)$/,
    ecosystem: 'pypi',
    line: /^\s*(?:"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s?(?:[=<>!~;][^"]*)?",?|([A-Za-z0-9][\w.-]*) = (?:"(?:[~^<>=]*\d[^"]*|\*)"|\{ ?(?:version|extras) = .*))\s*$/,
  },
  {
    file: /(?:^|\/)Cargo\.toml$/,
    ecosystem: 'cargo',
    line: /^([\w-]+) = (?:"[~^<>=]{0,2}\d[^"]*"|\{.*\b(?:version|git) = .*)$/,
  },
  {
    file: /(?:^|\/)go\.mod$/,
    ecosystem: 'go',
    line: /^\s*(?:require )?([\w.-]+\.[\w-]+\/\S+) v\d\S*/,
  },
  {
    file: /(?:^|\/)composer\.json$/,
    ecosystem: 'composer',
    line: /^\s*"([\w.-]+\/[\w.-]+)"\s*:\s*"[^"]+",?\s*$/,
  },
  { file: /(?:^|\/)Gemfile$/, ecosystem: 'rubygems', line: /^\s*gem ['"]([\w.-]+)['"]/ },
];
const ENDINGS = [
  'package.json',
  '.txt',
  '.in',
  'pyproject.toml',
  'Pipfile',
  'Cargo.toml',
  'go.mod',
  'composer.json',
  'Gemfile',
];
/** A longer line asks for no package. Characters. */
const LINE_CHARS_MAX = 500;
/** Members of package.json that hold a version of something else. */
const NO_PACKAGE: ReadonlySet<string> = new Set([
  'version',
  'node',
  'npm',
  'yarn',
  'pnpm',
  'python',
  'edition',
  'rust-version',
  'resolver',
]);

/** The packages that the lines a change adds to a manifest ask for. */
export function askedPackages(bytes: Uint8Array, file: DiffFile): AskedPackage[] {
  const path = file.path.trimEnd();
  // Each file of each change is asked for.
  if (!ENDINGS.some((ending) => path.endsWith(ending))) return [];
  const manifest = MANIFESTS.find((one) => one.file.test(path));
  if (manifest === undefined || file.change === 'deleted') return [];
  const { ecosystem } = manifest;
  const before = new Set<string>();
  const asked: Omit<AskedPackage, 'isNew'>[] = [];
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.end - cursor.start > LINE_CHARS_MAX) continue;
      const text = asBuffer(bytes).toString('utf8', cursor.start, cursor.end).trimEnd();
      const match = manifest.line.exec(text);
      const written = match?.[1] ?? match?.[2];
      if (written === undefined || NO_PACKAGE.has(written)) continue;
      const [real] = ecosystem === 'npm' ? (/"npm:(@?[^@"]+)/.exec(text)?.slice(1) ?? []) : [];
      const name = real ?? (ecosystem === 'pypi' ? normalised(written) : written);
      const alias = name === real && real !== written ? written : null;
      const isAdded = cursor.kind === LINE.ADDED;
      if (isAdded) asked.push({ name, alias, ecosystem, line: cursor.newLine, text });
      else before.add(name);
    }
  }
  return asked.map((one) => ({ ...one, isNew: !before.has(one.name) }));
}
