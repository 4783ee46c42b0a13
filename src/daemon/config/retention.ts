import { AUTH } from '../../auth/limits.ts';
import { CraError } from '../../model/errors.ts';
import { RETENTION } from '../../model/limits.ts';
import { DEFAULT_TENANT, type Principal } from '../../model/principal.ts';
import {
  LEAVING_STATUSES,
  type LegalHold,
  type Retention,
  type RetentionRule,
} from '../../model/retention.ts';
import { parseSearch, type Search } from '../../model/search.ts';
import { createJsonFields, type JsonFields, type Reader, readJsonFile } from './reader.ts';

const FILE = 'SERVICE_RETENTION_CONFIG';

/**
 * Reads the file that SERVICE_RETENTION_CONFIG names; without one nothing leaves the store. Every
 * problem is reported with its place in the file.
 */
export function readRetention(reader: Reader): Retention {
  const path = reader.text(FILE, '');
  if (path === '') return Object.freeze({ rules: [], holds: [] });
  const problem = (at: string, message: string) => reader.problem(FILE, `${at} ${message}`);
  const fields = createJsonFields(readJsonFile(reader, FILE, path), '', problem);
  const rules = fields.objects('archive', RETENTION.ENTRIES_MAX).map(readRule);
  const holds = fields.objects('holds', RETENTION.ENTRIES_MAX).map(readHold);
  fields.finish();
  return Object.freeze({ rules, holds });
}

function readRule(entry: JsonFields): RetentionRule {
  const { DAYS_MIN, DAYS_MAX } = RETENTION;
  if (!entry.has('days')) entry.problem('days', 'is required');
  const days = entry.integer('days', DAYS_MIN, DAYS_MAX) ?? DAYS_MAX;
  const rule = { tenantId: readTenant(entry), filter: readFilter(entry), days };
  const { status } = rule.filter;
  if (status !== null && !LEAVING_STATUSES.some((one) => one === status)) {
    entry.problem('q', `finds RFCs that never leave: is: may be ${LEAVING_STATUSES.join(' or ')}`);
  }
  entry.finish();
  return Object.freeze(rule);
}

function readHold(entry: JsonFields): LegalHold {
  if (!entry.has('name')) entry.problem('name', 'is required');
  const hold = {
    name: entry.text('name') ?? '',
    tenantId: readTenant(entry),
    filter: readFilter(entry),
    since: readTime(entry, 'since'),
    until: readTime(entry, 'until'),
  };
  entry.finish();
  return Object.freeze(hold);
}

function readTenant(entry: JsonFields): string {
  const tenant = entry.text('tenant') ?? DEFAULT_TENANT;
  if (tenant.length > AUTH.TENANT_CHARS_MAX) {
    entry.problem('tenant', `must have at most ${AUTH.TENANT_CHARS_MAX} characters`);
  }
  return tenant;
}

/** A search as in `GET rfcs?q=`, without times; absent: all RFCs. */
function readFilter(entry: JsonFields): Search {
  const read = (q: string) => parseSearch(q, { principal: NOBODY, nowMs: Date.now() });
  const q = entry.text('q') ?? '';
  try {
    const filter = read(q);
    if (filter.since === null && filter.until === null) return filter;
    entry.problem('q', 'must not have age: rules have days, holds since and until');
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    entry.problem('q', thrown.message);
  }
  return read('');
}

/** Who asks in a file: an author called "me". */
const NOBODY: Principal = {
  id: 'me',
  name: null,
  credential: 'api-token',
  role: 'viewer',
  tenant_id: DEFAULT_TENANT,
};

/** A time or day of UTC, as the first moment for `since` and the last for `until`. */
function readTime(entry: JsonFields, key: 'since' | 'until'): string | null {
  const text = entry.text(key);
  if (text === null) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = isDay ? `${text}T${key === 'since' ? '00:00:00.000' : '23:59:59.999'}Z` : text;
  const ms = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? Date.parse(time) : Number.NaN;
  if (!Number.isNaN(ms) && (!isDay || new Date(ms).toISOString().startsWith(text))) {
    return new Date(ms).toISOString();
  }
  entry.problem(key, 'must be a day (YYYY-MM-DD) or a time in UTC, as 2026-01-31T12:00:00Z');
  return null;
}
