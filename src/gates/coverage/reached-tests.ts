import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import type { GateFinding } from '../../model/finding.ts';
import { REHEARSAL } from '../../rules/risk/paths.ts';
import { type ByteRegex, compileRegexOnUse } from '../patterns/regex.ts';
import { isLesserPath } from './paths.ts';

/**
 * Files under names of tests and examples that run in production all the same: `package.json`
 * names them, production code imports them, or a build file starts them. As far as the change
 * shows it: its own files, and each `package.json` above a changed test, whole where there is a
 * repository. An import in a file that the change leaves alone, an import that is put together, and
 * one through an alias or a bundler's setting are not seen. Beyond these bounds, and where a
 * manifest was not read, every changed test counts as reached: what was not searched may run it.
 */

/** Text of other files that is searched for their names, characters. */
const SEARCHED_CHARS_MAX = 8 * 1024 * 1024;
/** `package.json` files that are read of the tree. */
const MANIFESTS_MAX = 200;

const MANIFEST = 'package.json';
const REHEARSAL_PATH: ByteRegex = compileRegexOnUse(REHEARSAL);

/** Whether rules or gate 2 are milder about a path because it says test or example. */
function isTestPath(path: string): boolean {
  return isLesserPath(path) || REHEARSAL_PATH.test(Buffer.from(path));
}

/** The `package.json` files that `reachedTests` can make use of. */
export function wantedForTests(files: readonly DiffFile[]): WantedFile[] {
  return manifestsAbove(testsIn(files))
    .slice(0, MANIFESTS_MAX)
    .map((path) => ({ side: 'head', path }));
}

/** Where a manifest of these tests may stand, the ones nearest to the root first. */
function manifestsAbove(tests: readonly string[]): string[] {
  const folders = new Set(tests.flatMap((path) => foldersAbove(path)));
  const depth = (folder: string) => (folder === '' ? 0 : folder.split('/').length);
  return [...folders]
    .sort((one, other) => depth(one) - depth(other))
    .map((folder) => join(folder, MANIFEST));
}

/** Changed files at paths of tests that something else than a test runs, and how to read them. */
export interface ReachedTests {
  has(path: string): boolean;
  /** The file under a name that says nothing of tests; another file as it is. */
  asRun(file: DiffFile): DiffFile;
  /** The trees, in which these files have that name, too. */
  trees: TreeFiles;
  /** A finding in such a file at the path that people know. */
  atPath(finding: GateFinding): GateFinding;
}

/** Looks for them in the change and in what was read of the trees; null: no repository. */
export function reachedTests(
  bytes: Uint8Array,
  files: readonly DiffFile[],
  trees: TreeFiles,
): ReachedTests {
  const paths = reachedPaths(bytes, files, trees);
  const names = new Map([...paths].map((path) => [path, withoutTestWords(path)]));
  const known = new Map([...names].map(([path, name]) => [name, path]));
  const nameFor = (path: string) => names.get(path) ?? path;
  const more = (trees ?? []).filter(({ path }) => names.has(path));
  return {
    has: (path) => paths.has(path),
    asRun(file) {
      if (!paths.has(file.path)) return file;
      const oldPath = file.oldPath === null ? null : nameFor(file.oldPath);
      return { ...file, path: nameFor(file.path), oldPath };
    },
    trees: trees && [...trees, ...more.map((one) => ({ ...one, path: nameFor(one.path) }))],
    atPath(finding) {
      const path = known.get(finding.file ?? '');
      return path === undefined ? finding : { ...finding, file: path };
    },
  };
}

/** Their paths. */
function reachedPaths(
  bytes: Uint8Array,
  files: readonly DiffFile[],
  trees: TreeFiles,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const tests = new Set(testsIn(files));
  if (tests.size === 0) return reached;
  if (trees !== null && manifestsAbove([...tests]).length > MANIFESTS_MAX) return tests;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reach = (path: string | null) => {
    if (path === null) return;
    if (path.includes('*')) for (const found of matching(path, tests)) reached.add(found);
    for (const found of namesFor(path)) if (tests.has(found)) reached.add(found);
  };
  for (const { side, path, bytes: content, state } of trees ?? []) {
    if (side !== 'head' || nameOf(path) !== MANIFEST) continue;
    if (content === null) {
      if (state === 'missing' || state === 'directory') continue;
      return tests;
    }
    for (const entry of entriesOf(asBuffer(content).toString('utf8'))) reach(resolve(path, entry));
  }
  let left = SEARCHED_CHARS_MAX;
  for (const file of files) {
    if (file.change === 'deleted' || tests.has(file.path) || isTestPath(file.path)) continue;
    if (!mayReach(file.path)) continue;
    const text = newText(bytes, file);
    left -= text.length;
    if (left < 0) return tests;
    for (const path of usesIn(file.path, text)) reach(path);
  }
  // What a reached file imports is reached as well; the set grows while it is walked through.
  for (const path of reached) {
    const file = byPath.get(path);
    if (file === undefined) continue;
    for (const used of usesIn(path, newText(bytes, file))) reach(used);
  }
  return reached;
}

/**
 * The path without the words that say that it is a test, for rules and parsers
 * that go by the name: `test/run.js` is `reached/run.js`, `a.test.ts` is `a.reached.ts`.
 */
export function withoutTestWords(path: string): string {
  const folders = path.split('/').slice(0, -1);
  const kept = folders.map((folder) => (isTestPath(`${folder}/a`) ? 'reached' : folder));
  const name = nameOf(path)
    .replace(/[._-](?:tests?|spec|e2e|example|sample|bench|stories)(?=\.\w+$)/i, '.reached')
    .replace(/^test_(?=.*\.py$)|^conftest(?=\.py$)/i, 'reached_')
    .replace(/(?:Tests?|TestCase|Spec|IT)(?=\.\w+$)/, 'Reached');
  return [...kept, name].join('/');
}

function testsIn(files: readonly DiffFile[]): string[] {
  const changed = files.filter(({ change, additions }) => change !== 'deleted' && additions > 0);
  return changed.filter(({ path }) => isTestPath(path)).map(({ path }) => path);
}

const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|java|kts?|cs|rb|php)$/i;
const STARTS =
  /(?:^|\/)(?:[^/]*Dockerfile[^/]*|Containerfile|Procfile|(?:docker-)?compose[^/]*\.ya?ml|[^/]+\.service|app\.ya?ml|serverless\.ya?ml|vercel\.json|fly\.toml|nodemon\.json|pyproject\.toml|setup\.cfg)$|(?:^|\/)(?:k8s|kubernetes|manifests?|deploy(?:ment)?s?|charts?|helm|templates)\/.*\.ya?ml$/i;

function mayReach(path: string): boolean {
  return nameOf(path) === MANIFEST || CODE.test(path) || STARTS.test(path);
}

/** Paths that the text of a file uses, as far as it names them. */
function usesIn(path: string, text: string): (string | null)[] {
  if (nameOf(path) === MANIFEST) return entriesOf(text).map((entry) => resolve(path, entry));
  if (STARTS.test(path)) {
    const words = text.match(/\/?[\w@.-]+(?:\/[\w@.-]+)*/g) ?? [];
    return words.flatMap((word) => {
      const all = [word, word.replaceAll('.', '/'), ...fromAnyRoot(word)];
      return all.flatMap((one) => [resolve(path, one), resolve('', one)]);
    });
  }
  const literals = [...text.matchAll(SPECIFIER)].map(([, , literal = '']) => literal);
  for (const [, , literal = ''] of text.matchAll(LITERAL))
    literals.push(...literal.split(/[\s=]+/));
  const specifiers = literals.flatMap((literal) => {
    const specifier = literal.replaceAll('\\/', '/');
    // `/*` is a route.
    if (!specifier.includes('/') || /^[/*]+$/.test(specifier)) return [];
    return [specifier, ...fromAnyRoot(specifier)];
  });
  const dotted = literals.flatMap((literal) => {
    const [, name] = DOTTED.exec(literal) ?? [];
    return name === undefined ? [] : [name.replaceAll('.', '/')];
  });
  const modules = [...text.matchAll(MODULE)].flatMap(([, module = '', listed, named = '']) => {
    const names = listed ?? named;
    const inner = names.split(/[,\n]/).map((name) => `${module}.${name.trim().split(/\s/, 1)[0]}`);
    return [module, ...inner].map((dotted) => dotted.replaceAll('.', '/'));
  });
  return [
    ...specifiers.flatMap((one) => [resolve(path, one), resolve('', one)]),
    ...dotted,
    ...modules.flatMap((one) => {
      return [one, resolve(path, one.replace(/^\/+/, './'))];
    }),
  ];
}

/** A literal that is a path: of an import, of a worker, of a program that is started. */
const SPECIFIER =
  /(["'`])((?:\.{1,2}\\?\/+|\\?\/+)?[\w@.-]+(?:\\?\/+[\w@.-]+)+|\.{1,2}\/[\w@.-]+)\1/g;
/** A literal on one line, which may be a command with a path in it, or the name of a module. */
const LITERAL = /(["'`])((?:\\[^\n]|[^\\\n]){1,300}?)\1/g;
/** A module of Python by its name, perhaps with a member: `tests.x:app`. */
const DOTTED = /^([A-Za-z_]\w*(?:\.\w+)+)(?::\w+)?$/;
/** `import a.b.C;` of Java and its kin, `import a.b` and `from a.b import c, d` of Python. */
const MODULE =
  /^[ \t]*(?:from|import)[ \t]+(?:static[ \t]+)?([\w.]+)(?:[ \t]+import[ \t]+(?:\(([\w,\s]{1,2000})|([\w, \t]+)))?/gm;

/** An absolute path may lead into a copy of the repository, wherever that lies. */
function fromAnyRoot(path: string): string[] {
  if (!path.startsWith('/')) return [];
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(0, ROOT_DEPTH_MAX).map((_, index) => parts.slice(index).join('/'));
}

/** Folders of a path that may lie above a copy of the repository. */
const ROOT_DEPTH_MAX = 6;

/** Fields of `package.json` by which others, or npm, come to a file. */
const ENTRY_FIELDS = ['main', 'module', 'browser', 'bin', 'exports', 'imports', 'worker'] as const;
const TEST_SCRIPT =
  /^(?:pre|post)?(?:tests?|spec|e2e|bench|benchmark|lint|cover|coverage|ci|check|typecheck|example|examples|demo|playground|storybook|format)(?:$|[:_-])/;

/** Values of a manifest that name files; of a part of one, the values of all its lines. */
function entriesOf(text: string): string[] {
  const manifest = parsed(text);
  if (manifest === null) {
    // Lines of a hunk do not say to which field they belong.
    const pairs = [...text.matchAll(/"([^"\n]+)"\s*:\s*"([^"\n]+)"/g)];
    return pairs.flatMap(([, key = '', value = '']) => (TEST_SCRIPT.test(key) ? [] : words(value)));
  }
  const fields = ENTRY_FIELDS.flatMap((name) => textsIn(manifest[name]));
  const { scripts } = manifest;
  const run = new Map(
    Object.entries(typeof scripts === 'object' && scripts !== null ? scripts : {}),
  );
  const commands: string[] = [];
  // What a script starts by its name runs with it, and may be called a test.
  const started = new Set([...run.keys()].filter((name) => !TEST_SCRIPT.test(name)));
  for (const name of started) {
    const command: unknown = run.get(name);
    if (typeof command !== 'string') continue;
    commands.push(...words(command));
    for (const [, other = ''] of command.matchAll(STARTS_SCRIPT))
      if (run.has(other)) started.add(other);
  }
  return [...fields, ...commands];
}

const STARTS_SCRIPT =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*|run-[sp]\s+|npm-run-all\s+)([\w:.-]+)/g;

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** `turbo --filter=./packages/*`: all packages of a folder, whose scripts are run, and no files. */
const CHOSEN_PACKAGES =
  /((?:^|[&|;])\s{0,20}(?:turbo|pnpm|lerna|npm|yarn|bun)\s[^&|;]{0,300}?\s?)--filter[= ]["']?\.\/(?!tests?\/|specs?\/|e2e\/)\w[\w-]*\/\*["']?(?=[\s&|;]|$)/g;

/** Words that may be paths; behind `cd folder` they begin there. */
function words(written: string): string[] {
  const command = written.replace(CHOSEN_PACKAGES, '$1');
  const all = command.split(/[\s"'`;&|()=,]+/).filter((word) => /[./]/.test(word));
  const folders = [...command.matchAll(/\bcd\s+["']?([\w@./-]+)/g)].map(
    ([, folder = '']) => folder,
  );
  return [...all, ...folders.flatMap((folder) => all.map((word) => `${folder}/${word}`))];
}

/** A path as a file at `from` gives it; null: it leads out of the tree. */
function resolve(from: string, to: string): string | null {
  const parts = from.split('/').slice(0, -1);
  for (const part of to.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** The tests that a pattern with `*` in `exports` names. */
function matching(pattern: string, tests: ReadonlySet<string>): string[] {
  const [before = ''] = pattern.split('*', 1);
  const after = pattern.slice(pattern.lastIndexOf('*') + 1);
  return [...tests].filter((path) => path.startsWith(before) && path.endsWith(after));
}

const ENDINGS = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '.tsx',
  '.jsx',
  '.json',
  '.py',
  '.java',
  '.kt',
];
const INDEXES = [
  '/index.js',
  '/index.mjs',
  '/index.cjs',
  '/index.ts',
  '/index.tsx',
  '/__init__.py',
];

/** The files that a path without an ending may mean, and TypeScript by the name of its output. */
function namesFor(path: string): string[] {
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  return [source, ...[...ENDINGS, ...INDEXES].map((ending) => path + ending)];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

/** The new side of what the diff shows of a file. */
function newText(bytes: Uint8Array, { hunks }: DiffFile): string {
  const lines: string[] = [];
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind === LINE.REMOVED) continue;
      lines.push(asBuffer(bytes).toString('utf8', cursor.start, cursor.end));
    }
  }
  return lines.join('\n');
}
