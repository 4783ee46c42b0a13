import type { Severity } from '../../model/finding.ts';
import { TEST_CODE } from '../../rules/risk/paths.ts';

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
export const TEST_PATH = new RegExp(TEST_CODE, 'i');

/** Paths whose code does not run in production, or is not written by hand: it is judged milder. */
export const LESSER_PATH = new RegExp(
  String.raw`${TEST_CODE}|(?:^|/)(?:dist|vendor)/|[.-]min\.\w+$`,
  'i',
);

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
 * The ending that fits the interpreter of a `#!` line; `''` for one that is not known, null
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
