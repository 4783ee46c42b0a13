import { workerData } from 'node:worker_threads';
import { createServer, implement } from '../src/rpc/server.ts';
import { Source } from '../src/rpc/source-contract.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { openSource } from '../src/vcs/git/source.ts';
import type { SourceThreadData } from '../src/vcs/git/thread-data.ts';

serveThread(async () => {
  const { methods, close } = await openSource(workerData as SourceThreadData);
  return { server: createServer([implement(Source, methods)]), close };
});
