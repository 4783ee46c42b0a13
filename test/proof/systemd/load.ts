import assert from 'node:assert/strict';
import { percentile } from '../../../bench/harness.ts';
import { blocked, harmless } from '../../decision-calls.ts';
import type { Called, Service } from './steps.ts';

/** A caller gives up after this. */
const RETRY_SECONDS = 60;

interface Summary {
  seconds: number;
  /** Milliseconds from the first try to the answer. */
  times: number[];
  retried: number;
  overridden: number;
  wrong: string[];
  /** The status that each RFC must have. */
  known: Map<string, string>;
}

/** Asks `rate` times a second, whatever becomes of the answers. */
export function startLoad(services: readonly Service[], overrideToken: string, rate: number) {
  const startAt = performance.now();
  const known = new Map<string, string>();
  const summary: Summary = { seconds: 0, times: [], retried: 0, overridden: 0, wrong: [], known };
  const running = new Set<Promise<void>>();
  let ending = false;
  let sent = 0;

  /** As a careful client: another daemon when one refuses, breaks off or stops. */
  async function ask(path: string, body?: unknown, headers: Record<string, string> = {}) {
    const firstAt = performance.now();
    for (let tried = sent; ; tried += 1) {
      const service = services[tried % services.length];
      const answer: Called | null =
        (await (service?.call(path, body, { headers }) ?? null)?.catch(() => null)) ?? null;
      if (answer !== null && answer.status !== 503) {
        summary.times.push(performance.now() - firstAt);
        return answer;
      }
      summary.retried += 1;
      if (performance.now() - firstAt > RETRY_SECONDS * 1000) throw new Error(`${path}: no answer`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function one(n: number): Promise<void> {
    const isBad = n % 5 === 0;
    if (n % 3 === 0 && known.size > 0) {
      const [id, status] = [...known][n % known.size] ?? ['', ''];
      const { body } = await ask(`rfc/${id}`);
      const seen = body.data?.overall_status;
      if (seen !== status && known.get(id) === status)
        summary.wrong.push(`${id}: ${seen}, not ${status}`);
      return;
    }
    const { status, body } = await ask('analyze', isBad ? blocked(n) : harmless(n));
    const expected = isBad ? 'BLOCKED' : 'PASSED';
    if (status !== 200 || body.data.overall_status !== expected) {
      summary.wrong.push(`analyze ${n}: ${status} ${body.data?.overall_status ?? body.error}`);
      return;
    }
    const id: string = body.data.rfc_id;
    if (!isBad || n % 2 === 0) return void known.set(id, expected);
    const reason = { actor: 'ann', reason: 'the example of the vendor' };
    const headers = { authorization: `Bearer ${overrideToken}`, 'idempotency-key': `rolling-${n}` };
    const decided = await ask(`rfc/${id}/override`, reason, headers);
    if (decided.status === 200) {
      known.set(id, 'OVERRIDDEN');
      summary.overridden += 1;
    } else summary.wrong.push(`override ${n}: ${decided.status} ${JSON.stringify(decided.body)}`);
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - startAt) / 1000) * rate;
    for (; sent < due; sent += 1) {
      const run = one(sent).catch((thrown) => void summary.wrong.push(String(thrown)));
      running.add(run);
      void run.finally(() => running.delete(run));
    }
  }, 5);
  let finish: (summary: Summary) => void = () => undefined;
  const done = new Promise<Summary>((resolve) => {
    finish = resolve;
  });
  return {
    done,
    end() {
      if (ending) return;
      ending = true;
      clearInterval(timer);
      summary.seconds = (performance.now() - startAt) / 1000;
      void Promise.all(running).then(() => finish(summary));
    },
  };
}

/** Says what the load met; rejects when an answer was wrong or something acknowledged is lost. */
export async function outcomeOf(summary: Summary, services: readonly Service[]): Promise<string> {
  const lost = await countLost(summary.known, services);
  assert.deepEqual([summary.wrong, lost], [[], []]);
  const latency = summary.times.toSorted((a, b) => a - b);
  const p99 = Math.round(percentile(latency, 0.99));
  return `${summary.times.length} requests in ${summary.seconds.toFixed(0)} s (${summary.retried} tried again), 0 wrong, 0 of ${summary.known.size} RFCs lost, ${summary.overridden} overrides; p99 ${p99} ms`;
}

/** What was acknowledged and is not there, or not as it was said. */
async function countLost(known: Map<string, string>, [service]: readonly Service[]) {
  const lost: string[] = [];
  for (const [id, status] of known) {
    const { body } = (await service?.call(`rfc/${id}`)) ?? { body: null };
    if (body?.data?.overall_status !== status) lost.push(`${id}: ${body?.data?.overall_status}`);
  }
  return lost;
}
