import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.ts';

const TIMEOUT_SECONDS = 60;
const JSON_TYPE = 'application/json';

/** Runs a load in this process. Its clock has whole milliseconds. */
export async function runAutocannon(load: Load): Promise<LoadResult> {
  const cpu = process.cpuUsage();
  const requests = load.requests.map(({ path, body, headers = {} }) =>
    body === null
      ? { method: 'GET', path, headers }
      : { method: 'POST', path, body, headers: { 'content-type': JSON_TYPE, ...headers } },
  );
  let clients = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${load.port}`,
    connections: load.connections,
    duration: load.seconds,
    timeout: TIMEOUT_SECONDS,
    requests,
    // Each begins elsewhere: else all connections send the same body at once.
    setupClient(client) {
      const first = clients % requests.length;
      clients += 1;
      client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
  });
  const { user, system } = process.cpuUsage(cpu);
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    maxMs: result.latency.max,
    failed: result.non2xx + result.errors + result.timeouts,
    cpuSeconds: (user + system) / 1e6,
  };
}
