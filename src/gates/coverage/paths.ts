import { regexText } from '../../core/regex-text.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import type { DecidedFiles, TreeFile, TreeFiles, WantedFile } from '../../model/change.ts';
import type { Severity } from '../../model/finding.ts';
import { TEST_CLASSES, TEST_CODE } from '../../rules/risk/paths.ts';
import { AST_GATE } from '../limits.ts';
import { type ByteRegex, compileRegex } from '../patterns/regex.ts';
import { languageOf } from '../syntax/languages.ts';

/** Images and fonts: nothing in them runs. An SVG may hold scripts, so `svgz` is not among them. */
export const IMAGE_NAME = /\.(?:avif|bmp|eot|gif|icns|ico|jpe?g|otf|png|tiff?|ttf|webp|woff2?)$/i;

/** Names of what is run, built or deployed as it stands in the repository. */
export const CODE_NAME = nameOf(
  [
    'astro|[cm]?[jt]sx?|ejs|es6?|hbs|jsm|mdx|mustache|njk|pug|svelte|vue', // the web
    'py[iw]?|rb|erb|rake|gemspec|php[3-8]?|phtml|inc|twig|p[lm]|lua|tcl|r|jl',
    'go|rs|java|kts?|scala|groovy|gradle|clj[cs]?|jspx?|cs|cshtml|razor|vbs?|fsx?|aspx?',
    'c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|dart|zig|s|asm|hs|erl|exs?|elm|ml|sol|proto',
    'sh|bash|zsh|fish|ksh|ps[dm]?1|bat|cmd|awk|sql|graphql|mk|mak|cmake|bzl|nix',
  ],
  ['Makefile', 'Rakefile', 'Gemfile', 'Vagrantfile', 'Jenkinsfile', 'Procfile', 'BUILD'],
);

/** Names of configuration, which people read before they merge it. */
export const SETTINGS_NAME = nameOf(
  [
    'ya?ml|toml|ini|cfg|cnf|conf|config|env|properties|plist|lock|mod|sum|reg',
    '[cf]sproj|vbproj|sln|tf|tfvars|hcl|tpl|tmpl|service',
  ],
  ['Dockerfile', 'Containerfile', 'CODEOWNERS', String.raw`\.[a-z]+rc`, String.raw`\.env[^/]*`],
  [String.raw`\.git(?:attributes|modules|ignore)`, String.raw`\.(?:docker|npm)ignore`],
  [String.raw`package\.json`, String.raw`pom\.xml`, String.raw`CMakeLists\.txt`],
  [String.raw`[^/]*(?:requirements|constraints)[^/]*\.txt`],
);

/** Names of markup, and of text that may as well be data. */
export const TEXT_NAME = nameOf(['json[5c]?|xml|html?|xhtml|svg|css|s[ac]ss|less|md|rst']);

/** Programs, libraries and packages of them: something loads or installs what is in them. */
export const PROGRAM_NAME =
  /\.(?:jar|war|ear|aar|aab|hap|jmod|class|dex|so(?:\.\d+)*|dylib|jnilib|dll|ocx|cpl|xll|exe|efi|com|scr|sys|ko|elf|out|run|appimage|node|py[cod]|pyz|zipapp|pex|mpy|whl|egg|conda|wasm|o|obj|a|lib|bin|phar|rlib|msi|msix|cab|deb|rpm|apk|ipa|snap|dmg|pkg|nupkg|gem|crx|xpi|vsix|beam|luac)$/i;

/** Data that is binary by its nature and that nothing starts: it is not read. */
export const DATA_NAME =
  /\.(?:zip|tar|t?gz|bz2|xz|zst|7z|rar|pdf|docx?|xlsx?|pptx?|od[tsp]|psd|ai|mp[34]|m4[av]|mov|avi|mkv|webm|ogg|wav|flac|aac|sqlite3?|db|parquet|avro|npy|npz|h5|onnx|pt|pth|safetensors|pb|tflite|glb|gltf|fbx|blend|mo)$/i;

/** How programs begin (ELF, PE, Mach-O, Java, WebAssembly, ar, DEX), one character a byte. */
const PROGRAM_STARTS = [
  ...['\x7fELF', 'MZ', '\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe'],
  ...['\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe', '\0asm', '!<arch>\n', 'dex\n', '\x1bLua'],
];

/** Whether content begins like a program. */
export function isProgramContent(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  return PROGRAM_STARTS.some((text) => start.startsWith(text));
}

export interface Place {
  name: RegExp;
  severity: Severity;
  /** What happens to a file there, as a sentence. */
  use: string;
}

/** Where a file does more than it did elsewhere, whatever is in it. */
export const PLACES: readonly Place[] = [
  {
    name: /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\/.*\.ya?ml$|^\.(?:circleci|buildkite|woodpecker|gitlab)\/.*\.ya?ml$|(?:^|\/)(?:[^/]*\.gitlab-ci\.ya?ml|action\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|buildspec[^/]*\.ya?ml|cloudbuild[^/]*\.ya?ml|\.travis\.yml|\.drone\.yml|appveyor\.yml|[^/]*Jenkinsfile[^/]*)$/i,
    severity: 'high',
    use: 'a pipeline runs it',
  },
  {
    name: /(?:^|\/)(?:[^/]*Dockerfile[^/]*|Containerfile)$/i,
    severity: 'high',
    use: 'a build of an image runs it',
  },
  {
    name: /(?:^|\/)package\.json$/,
    severity: 'high',
    use: 'an installation runs its scripts',
  },
  {
    name: /(?:^|\/)(?:\.husky|\.githooks)\/[^/]+$|(?:^|\/)\.pre-commit-(?:config|hooks)\.yaml$/,
    severity: 'high',
    use: 'git runs it',
  },
  {
    name: /(?:^|\/)(?:migrations?|migrate|alembic|flyway|liquibase)\//i,
    severity: 'medium',
    use: 'a deployment runs it as a migration',
  },
  {
    name: /(?:^|\/)CODEOWNERS$/,
    severity: 'medium',
    use: 'it says who has to agree to changes',
  },
];

function nameOf(extensions: readonly string[], ...names: string[][]): RegExp {
  const behind = `[^/]+\\.(?:${extensions.join('|')})`;
  return new RegExp(`(?:^|/)(?:${[behind, ...names.flat()].join('|')})$`, 'i');
}

/** Where a name puts a file to use, whatever its ending says; null: nowhere in particular. */
export function placeOf(path: string): Place | null {
  return PLACES.find(({ name }) => name.test(path)) ?? null;
}

/** Whether a file of this name is run, built or deployed as it stands. */
export function runsByName(path: string): boolean {
  return CODE_NAME.test(path) || placeOf(path)?.severity === 'high';
}

/** A name that says nothing of its content: `bin/deploy`, `.hook`. */
export function hasNoEnding(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).lastIndexOf('.') <= 0;
}

/** A name whose ending belongs to no kind of file that the gates know: `tool.cgi`, `t.dat`. */
export function hasUnknownEnding(path: string): boolean {
  return ![CODE_NAME, SETTINGS_NAME, TEXT_NAME, IMAGE_NAME].some((name) => name.test(path));
}

/** Names that other names stand for as well: gate 2 reads them alike, or they are one language. */
const ALIKE: readonly (readonly [name: RegExp, kind: string])[] = [
  [/\.(?:[cm]?[jt]sx?|es6?|jsm|ssjs)$/i, 'js'],
  [/\.(?:html?|xhtml|svg|vue|svelte|astro|mdx|ejs)$/i, 'markup'],
  [/\.(?:sh|bash|zsh|ksh|fish)$/i, 'sh'],
  [/\.(?:c|cc|cpp|cxx|h|hh|hpp|mm?)$/i, 'c'],
  [/\.ya?ml$/i, 'yaml'],
  // Data and prose, to which hardly any rule is limited.
  [/\.(?:md|rst|css|s[ac]ss|less)$/i, ''],
];

/** What a name says of its content, so that rules are limited to it; `''` where it says nothing. */
export function kindOf(path: string): string {
  if (hasUnknownEnding(path) || IMAGE_NAME.test(path)) return '';
  const alike = ALIKE.find(([name]) => name.test(path));
  if (alike !== undefined) return alike[1];
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return hasNoEnding(path) ? name : name.slice(name.lastIndexOf('.'));
}

/** Paths of tests and examples; who says that they are no more than that is in `base-paths`. */
const TEST_PATH = new RegExp(TEST_CODE, 'i');
const TEST_CLASS = new RegExp(TEST_CLASSES);
const BUILT_PATH = /(?:^|\/)(?:dist|vendor)\/|[.-]min\.\w+$/i;

/** Whether code at a path does not run in production, or is not written by hand: judged milder. */
export function isLesserPath(path: string): boolean {
  return TEST_PATH.test(path) || TEST_CLASS.test(path) || BUILT_PATH.test(path);
}

/** The ending of the names that an interpreter's scripts usually have. */
const ENDINGS: readonly (readonly [interpreter: RegExp, ending: string])[] = [
  [/^(?:node|nodejs|zx|qjs)$/, '.js'],
  [/^(?:deno|bun|tsx|ts-node)$/, '.ts'],
  [/^(?:python|pypy|uv)$/, '.py'],
  [/^(?:sh|bash|dash|ash|zsh|ksh|mksh|fish|busybox)$/, '.sh'],
  [/^ruby$/, '.rb'],
  [/^perl$/, '.pl'],
  [/^php$/, '.php'],
  [/^pwsh$/, '.ps1'],
  [/^lua(?:jit)?$/, '.lua'],
];

/**
 * The ending that fits the interpreter of a `#!` line; `''` for an unknown interpreter, null
 * for another line. Versions do not count (`python3.12`), and neither does `env` with its options.
 */
export function endingByShebang(line: string): string | null {
  const [, command] = /^\ufeff?#!\s*(\S[^\r\n]{0,500})/.exec(line) ?? [];
  if (command === undefined) return null;
  const words = command.split(/\s+/).map((word) => word.slice(word.lastIndexOf('/') + 1));
  const isOption = (word: string) => word.startsWith('-') || word.includes('=') || word === 'env';
  const name = words.find((word) => !isOption(word))?.replace(/[-\d.]+$/, '') ?? '';
  return ENDINGS.find(([interpreter]) => interpreter.test(name))?.[1] ?? '';
}

/** How images and fonts begin, by offset; one character a byte. */
const SIGNATURES: readonly (readonly [offset: number, texts: readonly string[]])[] = [
  [0, ['\x89PNG', 'GIF8', '\xff\xd8\xff', 'BM', 'icns', 'II*\0', 'MM\0*', 'RIFF']],
  [0, ['\0\0\x01\0', '\0\0\x02\0', '\0\x01\0\0', 'OTTO', 'true', 'ttcf', 'wOFF', 'wOF2']],
  // ISO media (AVIF, HEIF), and embedded OpenType.
  [4, ['ftyp']],
  [34, ['LP']],
];

/** Whether content begins like an image or a font. */
export function isImageContent(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  return SIGNATURES.some(([offset, texts]) => texts.some((text) => start.startsWith(text, offset)));
}

/**
 * What the accepted base says of the paths of a change. The change itself has no say: a new folder
 * named `tests` holds no tests before somebody accepted it, and a new line in `.gitattributes`
 * marks nothing yet.
 */
export interface BasePaths {
  /** Whether code at the path is a test or an example, in a folder that was there before. */
  isTest(path: string): boolean;
  /** Whether a file is marked as written by a generator (`linguist-generated`, or the rules). */
  isGenerated(path: string): boolean;
}

/**
 * Reads them from the diff and what was read of the base; `generated`: paths by the rules. With
 * `decided`, a mark counts that came with one of these changes.
 */
export function basePathsOf(
  files: readonly DiffFile[],
  trees: TreeFiles,
  generated: ByteRegex | null,
  decided: readonly DecidedFiles[] | null = null,
): BasePaths {
  let folders: Set<string> | null = null;
  let marks: Mark[] | null = null;
  let states: Mark[][] | null = null;
  return {
    isTest(path) {
      const folder = testFolder(path);
      if (folder === null) return false;
      folders ??= knownFolders(files, trees);
      return folders.has(folder);
    },
    isGenerated(path) {
      const bytes = Buffer.from(path);
      if (generated?.test(bytes)) return true;
      marks ??= readMarks(trees, 'base', decided);
      if (!isMarked(marks, bytes)) return false;
      // Its lines in another order mark other files.
      states ??= decided?.map(({ after }) => readMarks(after, 'head', null)) ?? null;
      return states?.some((state) => isMarked(state, bytes)) ?? true;
    },
  };
}

/** What `basePathsOf` can make use of, at most WANTS_MAX files and folders. */
export function wantedForPaths(bytes: Uint8Array, files: readonly DiffFile[]): WantedFile[] {
  const known = knownFolders(files, null);
  const wanted = new Set<string>();
  for (const file of files) {
    if (file.additions === 0 || file.change === 'deleted') continue;
    const folder = testFolder(file.path);
    const isScript = languageOf(file.path) !== null;
    if (folder !== null && folder !== '' && !known.has(folder)) wanted.add(folder);
    if (!isScript || !file.hunks.some((hunk) => addsLongLine(bytes, hunk))) continue;
    for (const above of foldersOf(file.path)) wanted.add(join(above, ATTRIBUTES));
  }
  return [...wanted].slice(0, WANTS_MAX).map((path) => ({ side: 'base', path }));
}

const WANTS_MAX = 200;
const ATTRIBUTES = '.gitattributes';

/** The folder that makes a path one of tests or examples, or that of a file so named. */
function testFolder(path: string): string | null {
  const match = TEST_PATH.exec(path) ?? TEST_CLASS.exec(path);
  if (match === null) return null;
  const isFolder = match[0].endsWith('/');
  const end = isFolder ? match.index + match[0].length - 1 : path.lastIndexOf('/');
  return path.slice(0, Math.max(0, end));
}

/** Folders in which a file of the diff stood before, and folders that were read of the base. */
function knownFolders(files: readonly DiffFile[], trees: TreeFiles): Set<string> {
  const old = files.flatMap(({ change, oldPath }) => {
    return change === 'added' || oldPath === null ? [] : foldersOf(oldPath);
  });
  const read = (trees ?? []).filter(({ side, state }) => side === 'base' && state === 'directory');
  return new Set([...old, ...read.map(({ path }) => path)]);
}

/** The folders of a path, outermost (`''`) first. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function addsLongLine(bytes: Uint8Array, hunk: Hunk): boolean {
  const { LINE_BYTES_MAX } = AST_GATE;
  if (hunk.additions === 0 || hunk.end - hunk.start <= LINE_BYTES_MAX) return false;
  const cursor = new LineCursor(bytes);
  cursor.open(hunk);
  while (cursor.next()) {
    if (cursor.kind === LINE.ADDED && cursor.end - cursor.start > LINE_BYTES_MAX) return true;
  }
  return false;
}

/** A line of `.gitattributes` that says whether files are generated. */
interface Mark {
  glob: ByteRegex;
  isGenerated: boolean;
}

function isMarked(marks: readonly Mark[], path: Buffer): boolean {
  return marks.findLast(({ glob }) => glob.test(path))?.isGenerated ?? false;
}

/** The last row that fits counts; files further down come later (man 5 gitattributes). */
function readMarks(
  trees: TreeFiles,
  of: TreeFile['side'],
  decided: readonly DecidedFiles[] | null,
): Mark[] {
  const found = (trees ?? []).filter(({ side, path }) => {
    return side === of && (path === ATTRIBUTES || path.endsWith(`/${ATTRIBUTES}`));
  });
  const inOrder = found.sort((left, right) => left.path.length - right.path.length);
  return inOrder.flatMap(({ path, bytes }) => {
    const folder = path.slice(0, Math.max(0, path.length - ATTRIBUTES.length - 1));
    const known = decided?.flatMap((change) => marksBrought(change, path));
    return markLines(bytes).flatMap((line) => {
      const mark = readMark(line, folder);
      // What takes a mark away needs no decision.
      const counts = known === undefined || mark?.isGenerated === false || known.includes(line);
      return mark !== null && counts ? [mark] : [];
    });
  });
}

function markLines(bytes: Uint8Array | null): string[] {
  const lines = bytes === null ? [] : asBuffer(bytes).toString('utf8').split('\n');
  return lines.filter((line) => line.includes('linguist-generated')).slice(0, MARKS_MAX);
}

/** The lines that a change brought to one `.gitattributes`. */
function marksBrought({ before, after }: DecidedFiles, path: string): string[] {
  const old = markLines(before.find((file) => file.path === path)?.bytes ?? null);
  const now = markLines(after.find((file) => file.path === path)?.bytes ?? null);
  return now.filter((line) => !old.includes(line));
}

/** Lines of one file that are read; each costs an expression. */
const MARKS_MAX = 200;
const MARK = /^(-|!)?linguist-generated(?:=(.*))?$/;

/**
 * How grave it is that a change adds a line to `.gitattributes`: medium where it marks source as
 * generated, info where it marks other files; null: it marks nothing.
 */
export function marksSource(line: string): 'info' | 'medium' | null {
  if (readMark(line, '')?.isGenerated !== true) return null;
  const [pattern = ''] = line.trim().split(/\s+/);
  if (GENERATED_NAME.test(pattern)) return 'info';
  return languageOf(pattern) !== null || /[*/]$/.test(pattern) ? 'medium' : 'info';
}

/** Names under which generators and package managers write. */
const GENERATED_NAME = /lock|generated\S*[/.]|dist\/|vendor\/|\.min\.|snap|\.pnp\.|\.yarn\//i;

function readMark(line: string, folder: string): Mark | null {
  const [pattern = '', ...attributes] = line.trim().split(/\s+/);
  // Comments, macros, and quoted patterns, which nobody writes for generated files.
  if (/^(?:#|\[attr\]|")/.test(pattern)) return null;
  const mark = attributes.map((attribute) => MARK.exec(attribute)).findLast(Boolean);
  const glob = mark ? globOf(pattern, folder) : null;
  if (!mark || glob === null) return null;
  const [, sign, value = 'true'] = mark;
  return { glob, isGenerated: sign === undefined && value === 'true' };
}

/** A pattern of `.gitattributes` in a folder as an expression on paths; null: it is malformed. */
function globOf(pattern: string, folder: string): ByteRegex | null {
  const isAnchored = pattern.slice(0, -1).includes('/');
  const body = pattern.replace(/^\//, '').replace(GLOB_PART, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '/**') return '/.*';
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.length > 2 && part.startsWith('[')) return part.replace(/^\[!/, '[^');
    return regexText(part.startsWith('\\') ? part.slice(1) : part);
  });
  const below = folder === '' ? '' : `${regexText(folder)}/`;
  try {
    return compileRegex(`^${below}${isAnchored ? '' : '(?:.*/)?'}${body}$`);
  } catch {
    return null;
  }
}

const GLOB_PART = /\*\*\/|\/\*\*$|\*+|\?|\[[^\]/]+\]|\\.|[^\w/-]/gu;
