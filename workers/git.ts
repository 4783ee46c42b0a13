import { workerData } from 'node:worker_threads';
import { findWideContext } from '../src/gates/patterns/wide-context.ts';
import type { SourceThreadData } from '../src/git/source.ts';
import { openSource } from '../src/git/source.ts';
import { createServer, implement } from '../src/rpc/service.ts';
import { Source, Trees } from '../src/rpc/source-contract.ts';
import { serveThread } from '../src/rpc/thread.ts';

serveThread(async () => {
  const { methods, trees, close } = await openSource(
    workerData as SourceThreadData,
    findWideContext,
  );
  const server = createServer([implement(Source, methods), implement(Trees, trees)]);
  return { server, close };
});
