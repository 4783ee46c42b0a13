/** What the thread of the mirrors and the process that starts git for it say to each other. */

export interface StartRequest {
  id: number;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: Uint8Array;
  /** Bytes of memory that each process may take for its data. */
  memoryMax: number;
}

export type StarterReport = { id: number } & (
  | { kind: 'started'; pid: number }
  | { kind: 'output'; bytes: Uint8Array }
  | { kind: 'complaint'; bytes: Uint8Array }
  /** Why it could not be started, as the system names it. */
  | { kind: 'failed'; code: string | null }
  /** It has ended and all of its output has been told. */
  | { kind: 'closed'; code: number | null; signal: string | null }
);
