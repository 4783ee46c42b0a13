import { golangDatabases } from './golang/databases.ts';
import { golangCarriers, golangProtections } from './golang/passes.ts';
import { golangServers } from './golang/servers.ts';
import { golangSinks } from './golang/sinks.ts';
import type { Package, SanitizerLine } from './line.ts';

/**
 * What packages of Go do with data, in the format of the other topics: `package` is the path that
 * is imported, without its version. Arguments are counted without a context: `Query(text)` and
 * `QueryContext(ctx, text)` both take text as argument 0. `options` are fields of a literal.
 */
export const golangPackages: readonly Package[] = [
  ...golangServers,
  ...golangSinks,
  ...golangDatabases,
  ...golangCarriers,
];

export const golangSanitizers: readonly SanitizerLine[] = golangProtections;
