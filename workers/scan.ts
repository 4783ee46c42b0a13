import { parentPort, threadId, workerData } from 'node:worker_threads';
import { createRulesCache } from '../src/analysis/worker/rules-cache.ts';
import { createAnalysisService } from '../src/analysis/worker/service.ts';
import { createChildClient } from '../src/rpc/child-client.ts';
import { createClient } from '../src/rpc/client.ts';
import { Analysis, type ScanThreadData, Syntax } from '../src/rpc/contract.ts';
import { servePool } from '../src/rpc/pool.ts';
import { createServer, implement } from '../src/rpc/server.ts';
import { offerPort } from '../src/rpc/thread.ts';
import { Records } from '../src/store/contract/records.ts';
import { Trail } from '../src/store/contract/trail.ts';

const data = workerData as ScanThreadData;
const { fingerprintKey, sealKey, socketDir } = data;

const child = createChildClient({
  threadId,
  socketDir,
  ask: (request) => parentPort?.postMessage(request),
});
const store = data.hasStore
  ? offerPort((offer, transfer) => parentPort?.postMessage(offer, [...transfer]))
  : null;
const service = createAnalysisService({
  rules: createRulesCache(),
  fingerprintKey,
  sealKey,
  syntax: createClient(Syntax, child),
  history: store && createClient(Records, store).repoHistory,
  accepted: store && createClient(Trail, store).acceptedAmong,
  now: () => new Date(),
});

/** Called by the pool with one request at a time. */
export const run = servePool(createServer([implement(Analysis, service)]));
