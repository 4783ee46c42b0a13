import { createHttpClient } from '../daemon/http-client.ts';
import { percentile } from '../harness.ts';
import type { BesidePlan, BesideResult } from './beside-message.ts';

/**
 * Reads and analyzes at a steady rate, whether the answers keep up or not, until it is told to
 * stop. A latency counts from when its request was due.
 */
const TICK_MS = 5;

process.on('message', (message: BesidePlan | 'stop') => {
  if (message !== 'stop') begin(message);
});
process.on('disconnect', () => process.exit());

function begin(plan: BesidePlan): void {
  const client = createHttpClient(plan.port);
  const statuses: Record<string, number> = {};
  const underWay = new Set<Promise<void>>();
  const start = performance.now();
  const count = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };

  function steadily(perSecond: number, send: (at: number) => Promise<{ status: number }>) {
    const latencies: number[] = [];
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
      for (; sent < due; sent += 1) {
        const dueAt = start + (sent / perSecond) * 1000;
        const done = send(sent)
          .then(
            ({ status }) => {
              latencies.push(performance.now() - dueAt);
              count(status);
            },
            () => count(0),
          )
          .finally(() => underWay.delete(done));
        underWay.add(done);
      }
    }, TICK_MS);
    return { latencies, stop: () => clearInterval(timer) };
  }

  const pick = (values: readonly string[], at: number) => values[at % values.length] ?? '';
  const reads = steadily(plan.readsPerSecond, (at) =>
    client.get(
      at % 2 === 0 ? `rfc/${pick(plan.rfcIds, at)}` : `prod-check/${pick(plan.repos, at)}`,
    ),
  );
  const bodies = plan.analyzeBodies.map((body) => Buffer.from(body));
  const analyzes = steadily(plan.analyzesPerSecond, (at) =>
    client.analyze(bodies[at % bodies.length] ?? Buffer.alloc(0)),
  );
  process.on('message', (message) => {
    if (message === 'stop') void finish();
  });

  async function finish(): Promise<void> {
    reads.stop();
    analyzes.stop();
    const seconds = (performance.now() - start) / 1000;
    while (underWay.size > 0) await Promise.all(underWay);
    client.close();
    const result: BesideResult = {
      seconds,
      reads: summary(reads.latencies),
      analyzes: summary(analyzes.latencies),
      statuses,
    };
    process.send?.(result);
  }
}

function summary(latencies: readonly number[]) {
  return {
    count: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
