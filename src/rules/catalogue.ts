import { answers } from './catalogue/answers.ts';
import { brokers } from './catalogue/brokers.ts';
import { browsers } from './catalogue/browsers.ts';
import { carriers } from './catalogue/carriers.ts';
import { chats } from './catalogue/chats.ts';
import { ciphers } from './catalogue/ciphers.ts';
import { clientOptions } from './catalogue/client-options.ts';
import { connections } from './catalogue/connections.ts';
import { controllers } from './catalogue/controllers.ts';
import { deliveries } from './catalogue/deliveries.ts';
import { documentStores } from './catalogue/document-stores.ts';
import { evaluators } from './catalogue/evaluators.ts';
import { fetchers } from './catalogue/fetchers.ts';
import { files } from './catalogue/files.ts';
import { frontEnds } from './catalogue/front-ends.ts';
import { guards } from './catalogue/guards.ts';
import { httpClients } from './catalogue/http-clients.ts';
import { keyWriters } from './catalogue/key-writers.ts';
import type { Package } from './catalogue/line.ts';
import { markupTools } from './catalogue/markup-tools.ts';
import { mustacheEngines } from './catalogue/mustache-engines.ts';
import { outbound } from './catalogue/outbound.ts';
import { pageParts } from './catalogue/page-parts.ts';
import { passwordHashes } from './catalogue/password-hashes.ts';
import { processes } from './catalogue/processes.ts';
import { protections } from './catalogue/protections.ts';
import { readers } from './catalogue/readers.ts';
import { records } from './catalogue/records.ts';
import { redirects } from './catalogue/redirects.ts';
import { requestClients } from './catalogue/request-clients.ts';
import { runtimes } from './catalogue/runtimes.ts';
import { servers } from './catalogue/servers.ts';
import { sessions } from './catalogue/sessions.ts';
import { sqlBuilders } from './catalogue/sql-builders.ts';
import { sqlDrivers } from './catalogue/sql-drivers.ts';
import { templateEngines } from './catalogue/template-engines.ts';
import { tlsOptions } from './catalogue/tls-options.ts';
import { tokens } from './catalogue/tokens.ts';
import { viewCompilers } from './catalogue/view-compilers.ts';
import { widgets } from './catalogue/widgets.ts';

/** What packages do with data, by topic; `docs/ARCHITECTURE.md` says how to add a line. */
export const topics: Readonly<Record<string, readonly Package[]>> = {
  browsers,
  carriers,
  chats,
  connections,
  deliveries,
  'document-stores': documentStores,
  evaluators,
  fetchers,
  files,
  'front-ends': frontEnds,
  'http-clients': httpClients,
  'markup-tools': markupTools,
  'mustache-engines': mustacheEngines,
  processes,
  protections,
  readers,
  redirects,
  'request-clients': requestClients,
  servers,
  sessions,
  'sql-builders': sqlBuilders,
  'sql-drivers': sqlDrivers,
  'template-engines': templateEngines,
  tokens,
  'view-compilers': viewCompilers,
  ciphers,
  'password-hashes': passwordHashes,
  'tls-options': tlsOptions,
  'client-options': clientOptions,
  answers,
  controllers,
  brokers,
  records,
  runtimes,
  guards,
  'key-writers': keyWriters,
  'page-parts': pageParts,
  outbound,
  widgets,
};

/** All packages of all topics; one may stand in several. */
export const packages: readonly Package[] = Object.values(topics).flat();
