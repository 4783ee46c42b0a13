/** The AST child: `rpc/child` forks it, `syntax/parse/parser` parses, `inspect` takes its death. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import { optimiseLate, serveAsChild } from '../src/rpc/child.ts';
import { Syntax } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/service.ts';

optimiseLate();
const service = createSyntaxService({ cpuMs, readPackaged });
serveAsChild(createServer([implement(Syntax, service)]), process.argv[2] ?? '');

/** CPU time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Grammars and their runtime are files of packages. */
function readPackaged(name: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve(name)));
}
