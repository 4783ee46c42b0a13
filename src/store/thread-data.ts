/** What a store thread is started with: SQLite has one for each half, MongoDB one for both. */
export type StoreThreadData =
  | { role: 'reader'; dataDir: string }
  | ({ role: 'writer'; dataDir: string } & TrailThreadData)
  | ({
      role: 'mongo';
      dataDir: string;
      url: string;
      /** Of the trail; null: the servers and the user of the records. */
      auditUrl: string | null;
      instance: string;
      /** Hashes of the keys that all daemons of a store have in common. */
      keys: { seal: string; fingerprint: string };
    } & TrailThreadData);

/** What the thread needs that writes the audit trail. */
export interface TrailThreadData {
  /** Ed25519 seed of the trail's checkpoints, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon: the trail says which one wrote it. */
  version: string;
}
