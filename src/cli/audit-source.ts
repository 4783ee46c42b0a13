import type { AuditSource } from '../audit/audit.ts';
import type { AuditSettings } from '../daemon/config/config.ts';
import { openSqliteAuditSource } from '../store/sqlite/audit-source.ts';

/** Opens the trail of the configured store, for reading. */
export async function openSource({ dataDir, store }: AuditSettings): Promise<AuditSource> {
  if (store.kind === 'sqlite') return openSqliteAuditSource(dataDir);
  // Loaded where it is used: the driver costs 100 ms and 20 MB.
  const { openMongoAuditSource, trailUrl } = await import('../store/mongo/audit-source.ts');
  return openMongoAuditSource(trailUrl(store));
}
