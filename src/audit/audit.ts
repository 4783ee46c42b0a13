/** A trail as `cra audit verify` and `export` read it: a database, or a file made by `export`. */
export interface AuditSource {
  /** Names of all chains, the oldest first. */
  chains(): Promise<string[]>;
  /** The entries of a chain by `seq`, each as the bytes (UTF-8) that were written. */
  entries(chain: string): AsyncIterable<string>;
  close(): Promise<void>;
}
