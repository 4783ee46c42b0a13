/** A trail as `cra audit verify` and `export` read it: a database, or a file made by `export`. */
export interface AuditSource {
  /** Names of all chains, the oldest first. */
  chains(): Promise<string[]>;
  /** The entries of a chain by `seq`, each as the bytes (UTF-8) that were written. */
  entries(chain: string): AsyncIterable<string>;
  close(): Promise<void>;
}

/** What a store shows and its trail does not say, or says otherwise. */
export interface Difference {
  /** A sentence that names what differs, what the trail says and what the store shows. */
  reason: string;
  /** By which an administrator accepts it: another difference has another one. */
  key: string;
}
