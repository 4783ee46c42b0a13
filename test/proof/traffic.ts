import type { HttpAnswer, HttpClient } from '../../bench/daemon/http-client.ts';

/** Requests at a steady rate, whether the answers keep up or not. */
export interface Traffic {
  /** Latencies from here on belong to this phase. */
  phase(name: string): void;
  /** Sends no more and waits for what is under way. */
  stop(): Promise<TrafficResult>;
}

export interface TrafficResult {
  /** Ms, by phase in which the request was due. */
  latenciesMs: ReadonlyMap<string, readonly number[]>;
  /** Whatever was not 200, in words. */
  failures: string[];
}

const TICK_MS = 10;

/**
 * Starts sending `perSecond` requests a second. A request's latency counts from when it was due,
 * so that a stall is not hidden by what could not be sent meanwhile.
 */
export function startTraffic(
  client: HttpClient,
  nextBody: () => Buffer,
  perSecond: number,
): Traffic {
  const latenciesMs = new Map<string, number[]>();
  const failures: string[] = [];
  const underWay = new Set<Promise<void>>();
  let latencies: number[] = [];
  const start = performance.now();
  let sent = 0;

  function send(dueAt: number): void {
    const own = latencies;
    const done = client
      .analyze(nextBody())
      .then(
        (answer) => {
          own.push(performance.now() - dueAt);
          if (answer.status !== 200) failures.push(describe(answer));
        },
        (thrown: unknown) => {
          failures.push(String(thrown));
        },
      )
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
    for (; sent < due; sent += 1) send(start + (sent / perSecond) * 1000);
  }, TICK_MS);

  return {
    phase(name) {
      latencies = latenciesMs.get(name) ?? [];
      latenciesMs.set(name, latencies);
    },
    async stop() {
      clearInterval(timer);
      while (underWay.size > 0) await Promise.all(underWay);
      return { latenciesMs, failures };
    },
  };
}

/** Requests a second that the service takes with `atATime` of them without a pause. */
export async function measureRate(
  client: HttpClient,
  nextBody: () => Buffer,
  atATime: number,
  ms: number,
): Promise<number> {
  const start = performance.now();
  let count = 0;
  const worker = async () => {
    while (performance.now() - start < ms) {
      await client.analyze(nextBody());
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return count / ((performance.now() - start) / 1000);
}

function describe({ status, text }: HttpAnswer): string {
  return `${status}: ${text.slice(0, 200)}`;
}
