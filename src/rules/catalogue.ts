import { carriers } from './catalogue/carriers.ts';
import { chats } from './catalogue/chats.ts';
import { documentStores } from './catalogue/document-stores.ts';
import { evaluators } from './catalogue/evaluators.ts';
import { files } from './catalogue/files.ts';
import type { Package } from './catalogue/line.ts';
import { processes } from './catalogue/processes.ts';
import { readers } from './catalogue/readers.ts';
import { sqlBuilders } from './catalogue/sql-builders.ts';
import { sqlDrivers } from './catalogue/sql-drivers.ts';

/** What packages do with data, by topic; `docs/ARCHITECTURE.md` says how to add a line. */
export const topics: Readonly<Record<string, readonly Package[]>> = {
  carriers,
  chats,
  'document-stores': documentStores,
  evaluators,
  files,
  processes,
  readers,
  'sql-builders': sqlBuilders,
  'sql-drivers': sqlDrivers,
};

/** All packages of all topics; one may stand in several. */
export const packages: readonly Package[] = Object.values(topics).flat();
