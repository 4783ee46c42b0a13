/** The AST child: `rpc/child` forks it, `gates/syntax/parser` parses, `inspect` takes its death. */
import { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import { serveAsChild } from '../src/rpc/child.ts';
import { Syntax } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/service.ts';

serveAsChild(createServer([implement(Syntax, createSyntaxService(cpuMs))]), process.argv[2] ?? '');

/** CPU time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
