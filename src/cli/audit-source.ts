import type { AuditSource } from '../audit/audit.ts';
import type { AuditSettings } from '../config.ts';
import { openSqliteAuditSource } from '../store/sqlite/audit-source.ts';

/** Opens the trail of the configured store, for reading. */
export function openSource({ dataDir }: AuditSettings): Promise<AuditSource> {
  return Promise.resolve(openSqliteAuditSource(dataDir));
}
