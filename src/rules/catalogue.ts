import { carriers } from './catalogue/carriers.ts';
import { chats } from './catalogue/chats.ts';
import { documentStores } from './catalogue/document-stores.ts';
import { evaluators } from './catalogue/evaluators.ts';
import { files } from './catalogue/files.ts';
import { frontEnds } from './catalogue/front-ends.ts';
import type { Package } from './catalogue/line.ts';
import { markupTools } from './catalogue/markup-tools.ts';
import { mustacheEngines } from './catalogue/mustache-engines.ts';
import { processes } from './catalogue/processes.ts';
import { protections } from './catalogue/protections.ts';
import { readers } from './catalogue/readers.ts';
import { sessions } from './catalogue/sessions.ts';
import { sqlBuilders } from './catalogue/sql-builders.ts';
import { sqlDrivers } from './catalogue/sql-drivers.ts';
import { templateEngines } from './catalogue/template-engines.ts';
import { tokens } from './catalogue/tokens.ts';
import { viewCompilers } from './catalogue/view-compilers.ts';
import { widgets } from './catalogue/widgets.ts';

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
  'template-engines': templateEngines,
  'mustache-engines': mustacheEngines,
  'view-compilers': viewCompilers,
  'front-ends': frontEnds,
  widgets,
  'markup-tools': markupTools,
  tokens,
  sessions,
  protections,
};

/** All packages of all topics; one may stand in several. */
export const packages: readonly Package[] = Object.values(topics).flat();
