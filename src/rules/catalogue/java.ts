import { javaAnswers } from './java/answers.ts';
import { javaClients } from './java/clients.ts';
import { javaDatabases } from './java/databases.ts';
import { javaFiles } from './java/files.ts';
import { javaCarriers, javaProtections } from './java/passes.ts';
import { javaPrograms } from './java/programs.ts';
import { javaReaders } from './java/readers.ts';
import { javaServers } from './java/servers.ts';
import type { Package, SanitizerLine } from './line.ts';

/**
 * What packages of Java do with data, in the format of the other topics: `package` is the package
 * that is imported, `jakarta` for what was `javax` before. A path begins with a class: `File` is
 * `new File(x)`, `Files.readString` a static method or one of an object, `*.exec` a method of
 * anything that comes of the package. `when` and `unless` name constants among the arguments;
 * `into: -1` with `from: [-1]`: the call makes something else of what it is called on.
 */
export const javaPackages: readonly Package[] = [
  ...javaServers,
  ...javaAnswers,
  ...javaPrograms,
  ...javaDatabases,
  ...javaFiles,
  ...javaClients,
  ...javaReaders,
  ...javaCarriers,
];

export const javaSanitizers: readonly SanitizerLine[] = javaProtections;
