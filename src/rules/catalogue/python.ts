import type { Package, SanitizerLine } from './line.ts';
import { pythonClients } from './python/clients.ts';
import { pythonCommands } from './python/commands.ts';
import { pythonDatabases } from './python/databases.ts';
import { pythonFiles } from './python/files.ts';
import { pythonCarriers, pythonProtections } from './python/passes.ts';
import { pythonReaders } from './python/readers.ts';
import { pythonServers } from './python/servers.ts';

/**
 * What packages of Python do with data, in the format of the other topics: `package` is the module
 * as it is imported, `options` are keyword arguments, `when` and `unless` name those.
 */
export const pythonPackages: readonly Package[] = [
  ...pythonServers,
  ...pythonCommands,
  ...pythonDatabases,
  ...pythonFiles,
  ...pythonClients,
  ...pythonReaders,
  ...pythonCarriers,
];

export const pythonSanitizers: readonly SanitizerLine[] = pythonProtections;
