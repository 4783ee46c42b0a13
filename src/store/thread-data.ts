/** What a store thread is started with: SQLite has one for each half, MongoDB one for both. */
export type StoreThreadData =
  | { role: 'writer' | 'reader'; dataDir: string }
  | {
      role: 'mongo';
      dataDir: string;
      url: string;
      instance: string;
      /** Hashes of the keys that all daemons of a store have in common. */
      keys: { seal: string; fingerprint: string };
    };
