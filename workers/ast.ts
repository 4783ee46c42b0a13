/** The AST child: `rpc/child` forks it, `gates/syntax/parser` parses, `inspect` takes its death. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import { serveAsChild } from '../src/rpc/child.ts';
import { Syntax } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/service.ts';

const service = createSyntaxService({ cpuMs, readGrammar });
serveAsChild(createServer([implement(Syntax, service)]), process.argv[2] ?? '');

/** CPU time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What the parser of Python is made of: files of two packages. */
async function readGrammar() {
  const [runtime, python] = await Promise.all([
    readPackaged('web-tree-sitter/web-tree-sitter.wasm'),
    readPackaged('tree-sitter-python/tree-sitter-python.wasm'),
  ]);
  return { runtime, python };
}

function readPackaged(name: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve(name)));
}
