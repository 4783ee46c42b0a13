import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import type { Fragment } from '../src/rpc/contract.ts';
import type { FileCost } from './syntax-files.ts';

/** The service of an AST child out of the dist folder that it is given, file by file. */
const [dist = ''] = process.argv.slice(2);
const url = pathToFileURL(join(dist, 'src/gates/syntax/syntax-service.js')).href;
const module: { createSyntaxService: typeof createSyntaxService } = await import(url);
// As the child of that tree does it, if it does.
const child: { optimiseLate?(): void } = await import(
  pathToFileURL(join(dist, 'src/rpc/child.js')).href
);
child.optimiseLate?.();
const service = module.createSyntaxService({
  readPackaged: (name) => readFile(fileURLToPath(import.meta.resolve(name))),
});
const fingerprintKey = new Uint8Array(32).fill(7);

process.on('message', async (fragment: Fragment) => {
  const before = process.cpuUsage();
  await service.inspect({ fragments: [fragment], fingerprintKey }, { stopReason: () => null });
  const { user, system } = process.cpuUsage(before);
  const { rss, heapUsed } = process.memoryUsage();
  const cost: FileCost = { cpuMs: (user + system) / 1000, rss, heapUsed };
  process.send?.(cost);
});
