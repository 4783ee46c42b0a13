import type { AuditSource } from '../audit/audit.ts';
import type { AuditSettings } from '../config.ts';
import { CraError } from '../domain/errors.ts';

/** Opens the trail of the configured store, for reading. */
export function openSource({ dataDir }: AuditSettings): Promise<AuditSource> {
  const message = `the trail in ${dataDir} cannot be read by this version; verify an export of it`;
  return Promise.reject(new CraError('UNIMPLEMENTED', message));
}
