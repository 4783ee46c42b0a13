import { constants, getPriority, platform, setPriority } from 'node:os';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { createChildClient } from '../src/rpc/child.ts';
import { Analysis, type ScanThreadData, Syntax } from '../src/rpc/contract.ts';
import { servePool } from '../src/rpc/pool.ts';
import { createClient, createServer, implement } from '../src/rpc/service.ts';
import { Trees } from '../src/rpc/source-contract.ts';
import { offerPort } from '../src/rpc/thread.ts';
import { Trail } from '../src/store/contract/trail.ts';

const data = workerData as ScanThreadData;
lowerPriority(data.niceness);
const { fingerprintKey, sealKey, ownSecrets, socketDir, keywords } = data;

const child = createChildClient({
  threadId,
  socketDir,
  ask: (request) => parentPort?.postMessage(request),
});
const store =
  data.hasStore && data.storeDir === null
    ? offerPort('store', (offer, transfer) => parentPort?.postMessage(offer, [...transfer]))
    : null;
const source = data.hasSource
  ? offerPort('source', (offer, transfer) => parentPort?.postMessage(offer, [...transfer]))
  : null;
const syntax = createClient(Syntax, child);

// The child starts while this thread loads the gates; what goes wrong shows with the first call.
syntax.inspect({ fragments: [], fingerprintKey }).catch(() => undefined);

const serving = serve();

async function serve(): Promise<ReturnType<typeof servePool>> {
  const { createRulesCache } = await import('../src/analysis/worker/rules-cache.ts');
  const { createAnalysisService } = await import('../src/analysis/worker/service.ts');
  const { createRegistry } = await import('../src/gates/dependencies/registry.ts');
  const lookups = data.storeDir === null ? null : await openLookups(data.storeDir);
  const service = createAnalysisService({
    rules: createRulesCache(keywords),
    fingerprintKey,
    sealKey,
    ownSecrets,
    syntax,
    trees: source && createClient(Trees, source),
    accepted: lookups?.acceptedAmong ?? (store && createClient(Trail, store).acceptedAmong),
    registry: data.registries && createRegistry(data.registries),
    now: () => new Date(),
  });
  return servePool(createServer([implement(Analysis, service)]));
}

/** To ask the reader costs more than to look: a message there, one back, and two threads awake. */
async function openLookups(storeDir: string) {
  const { createScanLookups } = await import('../src/store/sqlite/database.ts');
  return createScanLookups(storeDir);
}

/** Called by the pool with one request at a time. */
export const run: ReturnType<typeof servePool> = async (task) => (await serving)(task);

/** On Linux each thread has a niceness of its own; elsewhere the whole process would get it. */
function lowerPriority(niceness: number): void {
  if (niceness === 0 || platform() !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW));
  } catch {
    // A sandbox forbids it: all threads are equal then.
  }
}
