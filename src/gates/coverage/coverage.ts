import { createHmac } from 'node:crypto';
import type { DiffFile, ParsedDiff } from '../../diff/diff.ts';
import { type GateFinding, plainFinding, type Severity } from '../../model/finding.ts';

/** Images and fonts: nothing in them runs. An SVG may hold scripts, so `svgz` is none of them. */
const HARMLESS_BINARY = /\.(?:avif|bmp|eot|gif|icns|ico|jpe?g|otf|png|tiff?|ttf|webp|woff2?)$/i;

/** Names of what is run, built or deployed as it stands in the repository. */
const CODE_NAME = nameOf(
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
const SETTINGS_NAME = nameOf(
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
const TEXT_NAME = nameOf(['json[5c]?|xml|html?|xhtml|svg|css|s[ac]ss|less|md|rst']);

interface Place {
  name: RegExp;
  severity: Severity;
  what: string;
}

/** Where a file does more than it did elsewhere, whatever is in it. */
const PLACES: readonly Place[] = [
  {
    name: /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\/.*\.ya?ml$|^\.(?:circleci|buildkite|woodpecker|gitlab)\/.*\.ya?ml$|(?:^|\/)(?:[^/]*\.gitlab-ci\.ya?ml|action\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|buildspec[^/]*\.ya?ml|cloudbuild[^/]*\.ya?ml|\.travis\.yml|\.drone\.yml|appveyor\.yml|[^/]*Jenkinsfile[^/]*)$/i,
    severity: 'high',
    what: 'a pipeline runs it',
  },
  {
    name: /(?:^|\/)(?:[^/]*Dockerfile[^/]*|Containerfile)$/i,
    severity: 'high',
    what: 'a build of an image runs it',
  },
  {
    name: /(?:^|\/)package\.json$/,
    severity: 'high',
    what: 'an installation runs its scripts',
  },
  {
    name: /(?:^|\/)(?:\.husky|\.githooks)\/[^/]+$|(?:^|\/)\.pre-commit-(?:config|hooks)\.yaml$/,
    severity: 'high',
    what: 'git runs it',
  },
  {
    name: /(?:^|\/)(?:migrations?|migrate|alembic|flyway|liquibase)\//i,
    severity: 'medium',
    what: 'a deployment runs it as a migration',
  },
  {
    name: /(?:^|\/)CODEOWNERS$/,
    severity: 'medium',
    what: 'it says who has to agree to changes',
  },
];

function nameOf(extensions: readonly string[], ...names: string[][]): RegExp {
  const behind = `[^/]+\\.(?:${extensions.join('|')})`;
  return new RegExp(`(?:^|/)(?:${[behind, ...names.flat()].join('|')})$`, 'i');
}

const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/');
const LFS_OBJECT = /^\+oid sha256:[0-9a-f]{64}\r?$/m;
/** "Pointer files must be less than 1024 bytes in size": old and new with their markers. */
const LFS_HUNK_BYTES_MAX = 4096;

/**
 * Findings for what no rule could look at: unreadable parts, binary files, submodules, LFS
 * pointers, text that a rename makes code. `key` is the HMAC key of fingerprints.
 */
export function unseenFindings(
  bytes: Uint8Array,
  diff: ParsedDiff,
  key: Uint8Array,
): GateFinding[] {
  const findings: GateFinding[] = [];
  for (const problem of diff.problems) {
    const message = `line ${problem.diffLine} of the diff could not be read: ${problem.message}`;
    findings.push(finding(key, 'diff-unreadable', 'high', message, problem.file));
  }
  for (const file of diff.files) {
    if (file.change !== 'deleted' && isUncertainName(file.path)) {
      const message = 'the name ends in a blank, which some tools drop: it may become another file';
      findings.push(finding(key, 'diff-unreadable', 'high', message, file.path));
    }
    const seen = unseenContent(bytes, file);
    if (seen !== null) findings.push(finding(key, seen.id, seen.severity, seen.message, file.path));
  }
  return findings;
}

interface Unseen {
  id: string;
  severity: Severity;
  message: string;
}

function unseenContent(bytes: Uint8Array, file: DiffFile): Unseen | null {
  if (file.change === 'deleted') return null;
  if (file.content === 'submodule') {
    const message = 'the commits that this submodule brings are not part of the diff';
    return { id: 'outside-diff', severity: 'medium', message };
  }
  if (file.content === 'binary') return binaryFile(file.path);
  if (isLfsPointer(bytes, file)) {
    const message = 'the content of this Git LFS file is not part of the diff';
    // Git LFS is for large data; for what runs or configures it is a way around those who look.
    const isRead = CODE_NAME.test(file.path) || SETTINGS_NAME.test(file.path);
    const severity = isRead ? 'high' : 'medium';
    return { id: 'outside-diff', severity, message };
  }
  return movedFile(file);
}

/** git keeps blanks at the end of a name, patch(1) and Windows drop them. */
function isUncertainName(path: string): boolean {
  const name = path.trimEnd();
  if (name === path) return false;
  const isRead = CODE_NAME.test(name) || SETTINGS_NAME.test(name);
  return isRead || PLACES.some((place) => place.name.test(name));
}

/**
 * Under its old name nobody looked at a file as what it becomes by the new one, and a rename or
 * copy shows no more of it than changes.
 */
function movedFile({ change, oldPath, path }: DiffFile): Unseen | null {
  if ((change !== 'renamed' && change !== 'copied') || oldPath === null) return null;
  const id = 'outside-diff';
  const place = PLACES.find(({ name }) => name.test(path) && !name.test(oldPath));
  if (place?.severity !== 'high' && CODE_NAME.test(path) && !CODE_NAME.test(oldPath)) {
    const message =
      'this file becomes code by its new name, and its content is not all in the diff';
    return { id, severity: 'high', message };
  }
  if (place === undefined) return null;
  const message = `under its new name ${place.what}, and its content is not all in the diff`;
  return { id, severity: place.severity, message };
}

function binaryFile(path: string): Unseen {
  const id = 'binary-file';
  if (HARMLESS_BINARY.test(path)) {
    return { id, severity: 'info', message: 'an image or font; its content was not looked at' };
  }
  if (CODE_NAME.test(path) || SETTINGS_NAME.test(path) || TEXT_NAME.test(path)) {
    const message = 'named like source or configuration but given as binary, so nothing was read';
    return { id, severity: 'high', message };
  }
  return { id, severity: 'medium', message: 'a binary file; its content was not looked at' };
}

/**
 * A pointer starts with its version line, which a diff without context leaves out, and names an
 * object (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
 */
function isLfsPointer(bytes: Uint8Array, file: DiffFile): boolean {
  return file.hunks.some((hunk) => {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + hunk.start, hunk.end - hunk.start);
    if (view.subarray(hunk.markers, hunk.markers + LFS_POINTER.length).equals(LFS_POINTER)) {
      return true;
    }
    return view.length <= LFS_HUNK_BYTES_MAX && LFS_OBJECT.test(view.toString('latin1'));
  });
}

function finding(
  key: Uint8Array,
  id: string,
  severity: Severity,
  message: string,
  file: string | null,
): GateFinding {
  const fingerprint = createHmac('sha256', key)
    .update(`${id}\0${file ?? ''}`)
    .digest('hex');
  return plainFinding({ id, gate: 'risk', severity, message, file, fingerprint });
}
