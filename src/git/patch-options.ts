import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Options of every patch: its text depends on the commits alone, not on anybody's settings, and
 * no program of the repository's choice (external diff, textconv) makes it. Content that is binary
 * stays a marker: no gate could read the data of a binary patch.
 * https://git-scm.com/docs/diff-options
 */
export const PATCH_OPTIONS: readonly string[] = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--full-index',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--ignore-submodules=none',
  '--diff-algorithm=default',
];

/**
 * Context for rules over several lines: an RSA key of 16,384 bits has 200 lines of PEM. It is
 * bounded, so that one long file costs no more than its changes.
 */
export const WIDE_CONTEXT = '--unified=400';

/**
 * What a diff takes for text. Attributes of a mirror stand above those of any tree, so no pushed
 * `.gitattributes` hides anything. https://git-scm.com/docs/gitattributes
 */
export type TextChoice =
  /** What git finds by looking at the content: no NUL among its first 8,000 bytes. */
  | { kind: 'content' }
  /** All but what is binary by its name, and these paths (one character a byte). */
  | { kind: 'all'; but: readonly string[] };

const NEUTRAL = '* !diff !binary !text !eol !ident !filter !working-tree-encoding !export-subst\n';

/** Sets the attributes of a mirror, all at once. */
export function setAttributes(gitDir: string, choice: TextChoice): void {
  const path = join(gitDir, 'info', 'attributes');
  // Not named like a leftover of git: it is replaced by the next write at the latest.
  writeFileSync(`${path}.new`, Buffer.from(attributesOf(choice), 'latin1'));
  renameSync(`${path}.new`, path);
}

function attributesOf(choice: TextChoice): string {
  if (choice.kind === 'content') return NEUTRAL;
  const names = BINARY_EXTENSIONS.map((extension) => `*.${eitherCase(extension)} !diff\n`);
  const paths = choice.but.map((path) => `${quoted(path)} !diff\n`);
  return [NEUTRAL, '* diff\n', ...names, ...paths].join('');
}

function eitherCase(extension: string): string {
  return extension.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** A path as a pattern that fits it alone, in the quotes of C. */
function quoted(path: string): string {
  const pattern = `/${path.replace(/[*?[\\]/g, '\\$&')}`;
  const text = pattern.replace(/[^\x20-\x7e]|["\\]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${text}"`;
}

/**
 * Extensions of formats that are binary by design. As text they would be noise to every rule, so
 * they stay a marker in the diff, which the gates report; any other file with a NUL is shown.
 */
const BINARY_EXTENSIONS: readonly string[] = [
  // images and fonts
  ...['avif', 'bmp', 'eot', 'gif', 'heic', 'icns', 'ico', 'jpeg', 'jpg', 'otf', 'png', 'psd'],
  ...['tif', 'tiff', 'ttc', 'ttf', 'webp', 'woff', 'woff2', 'svgz'],
  // sound and video
  ...['aac', 'avi', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'wav', 'webm'],
  // archives and packages
  ...['7z', 'apk', 'bz2', 'deb', 'ear', 'gem', 'gz', 'iso', 'jar', 'lz4', 'nupkg', 'rar', 'rpm'],
  ...['tar', 'tbz2', 'tgz', 'txz', 'war', 'whl', 'xz', 'zip', 'zst'],
  // programs
  ...['a', 'class', 'dll', 'dylib', 'elf', 'exe', 'lib', 'node', 'o', 'obj', 'pdb', 'pyc', 'so'],
  'wasm',
  // documents and data
  ...['avro', 'db', 'doc', 'docx', 'h5', 'npy', 'npz', 'odt', 'onnx', 'parquet', 'pdf', 'ppt'],
  ...['pptx', 'sqlite', 'sqlite3', 'xls', 'xlsx', 'jks', 'keystore', 'p12', 'pfx', 'mo'],
];
