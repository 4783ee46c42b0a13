import type { VcsHost } from '../hosts/settings.ts';

/** What the thread that keeps the mirrors is started with. */
export interface SourceThreadData {
  /** Made (0700) where there is none; nobody else writes in it. */
  mirrorDir: string;
  hosts: readonly VcsHost[];
  /** All mirrors together; those unused for longest go first. */
  mirrorBytesMax: number;
  /** Process groups that run, of `createGroups`: for whoever outlives the thread. */
  groups: SharedArrayBuffer;
}
