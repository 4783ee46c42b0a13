/** How a repository names its objects. */
export type ObjectFormat = 'sha1' | 'sha256';

const SHA256_CHARS = 64;

/** Which format an id is of. */
export function formatOf(id: string): ObjectFormat {
  return id.length === SHA256_CHARS ? 'sha256' : 'sha1';
}

/** The tree without entries, which git knows in every repository. */
export const EMPTY_TREES: Readonly<Record<ObjectFormat, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};
