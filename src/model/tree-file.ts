/** A file of the tree before a change or after it, which somebody wants to read whole. */
export interface WantedFile {
  side: 'base' | 'head';
  /** Path from the root of the tree, decoded like the paths of a parsed diff. */
  path: string;
}

/** The answer to a WantedFile. */
export interface TreeFile extends WantedFile {
  /**
   * `read`: `bytes` is the whole content; for a symlink, that of the file it leads to.
   * `missing`: the tree has no such file, or a link that leads nowhere or to a directory.
   * `outside`: a symlink that leads out of the tree, where nothing is read.
   * `too-large`: above the bounds of the reader.
   */
  state: 'read' | 'missing' | 'outside' | 'too-large';
  bytes: Uint8Array | null;
}

/** What was read of both trees beside a diff; null: there is no repository to read from. */
export type TreeFiles = readonly TreeFile[] | null;
