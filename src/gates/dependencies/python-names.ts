/** What another name than the normalised one has. */
const OTHER_SIGN = /[^a-z0-9-]|--/;

/** A name as PEP 503 compares it; crates.io ignores these signs as well. */
export function normalised(name: string): string {
  if (!OTHER_SIGN.test(name)) return name;
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** Of sources (PEP 625, and what was uploaded before it). */
const SOURCES = /\.(?:tar\.(?:gz|bz2|xz|z)|tgz|zip)$/;

/**
 * Whether a file of an index is of a package, and of a version of it; null: of any. Wheels are
 * `name-version-...whl` (PEP 427), sources `name-version.tar.gz`; other files begin so.
 */
export function isFileOf(file: string, name: string, version: string | null): boolean {
  const plain = file.toLowerCase().replaceAll('%2b', '+').replaceAll('%21', '!');
  if (version === null) return normalised(plain).startsWith(`${name}-`);
  const isWheel = plain.endsWith('.whl');
  if (!isWheel && !SOURCES.test(plain)) {
    return normalised(plain).startsWith(`${name}-${normalised(version)}-`);
  }
  const stem = normalised(isWheel ? plain.split('-', 2).join('-') : plain.replace(SOURCES, ''));
  const ofFile = stem.startsWith(`${name}-`) ? stem.slice(name.length + 1) : null;
  return ofFile !== null && sameVersion(ofFile) === sameVersion(version);
}

/** Words that PEP 440 takes for others. */
const WORDS: Readonly<Record<string, string>> = {
  alpha: 'a',
  beta: 'b',
  c: 'rc',
  pre: 'rc',
  preview: 'rc',
  rev: 'post',
  r: 'post',
};

/**
 * A text that versions have in common if PEP 440 compares them as equal: `1.0.0-beta`, `1.0b0`. The
 * commit behind a version (`withCommit`) is left out.
 */
function sameVersion(version: string): string {
  const [plain = ''] = version.toLowerCase().replace(/^v/, '').split('#', 1);
  const parts = (plain.match(/\d+|[a-z]+/g) ?? []).map((part) =>
    /^\d/.test(part) ? part.replace(/^0+(?=\d)/, '') : (WORDS[part] ?? part),
  );
  const kept: string[] = [];
  for (const part of parts) {
    // Zeros at the end of a number count for nothing.
    if (/^[a-z]/.test(part)) while (kept.at(-1) === '0') kept.pop();
    kept.push(part);
  }
  while (kept.at(-1) === '0') kept.pop();
  return kept.join('.');
}
