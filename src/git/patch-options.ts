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

/** Context without end: more lines than a text that is shown as such can have. */
export const WHOLE_FILES = '--unified=100000000';
