/** What a store thread is started with: SQLite has one for each half, MongoDB one for both. */
export type StoreThreadData = TrailThreadData &
  (
    | { role: 'writer' | 'reader' }
    | {
        role: 'mongo';
        url: string;
        /** Of the trail; null: the servers and the user of the records. */
        auditUrl: string | null;
        instance: string;
        /** Hashes of the keys that all daemons of a store have in common. */
        keys: { seal: string; fingerprint: string };
      }
  );

interface TrailThreadData {
  dataDir: string;
  /** Ed25519, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon. */
  version: string;
}
