import { createHttpClient } from '../../../bench/daemon/http-client.ts';
import { createRandom, type Random } from '../../../bench/random.ts';
import {
  dataOf,
  drawChange,
  drawOperation,
  makeRulesOperation,
  type Operation,
} from './operation.ts';

/** Mixed decisions from several callers, and what became of them. */
export interface DecisionLoad {
  /** Sent so far, each with its answer once that is there. */
  readonly operations: readonly Operation[];
  /** RFCs whose analyze was answered with 200. */
  readonly rfcIds: readonly string[];
  /** Answers of 200 to operations, so far. */
  readonly done: number;
  /** What came back that should not, while nobody was killed. */
  readonly faults: readonly string[];
  /** From here on no answer, and 503, are not a fault. */
  expectTrouble(): void;
  /** Sends no more; resolves when everything that was under way has ended. */
  stop(): Promise<void>;
  /** Resolves when so many operations were done, or a sender gave up. */
  reached(done: number): Promise<void>;
}

export interface LoadOptions {
  ports: readonly number[];
  senders: number;
  seed: number;
  /** Whether the rules are changed, too; it costs a process that compiles them. */
  withRules: boolean;
  /** Whether senders go on after a request without an answer. */
  keepsTrying: boolean;
}

/** Of ten requests so many are new changes to decide about. */
const CHANGES = 0.3;
/** Some are sent twice at once, as impatient clients do. */
const TWINS = 0.1;
const PAUSE_MS = 20;

/** Starts sending at once. */
export function startLoad(options: LoadOptions): DecisionLoad {
  const operations: Operation[] = [];
  const rfcIds: string[] = [];
  const faults: string[] = [];
  const waiting: { done: number; resolve(): void }[] = [];
  let done = 0;
  let isStopping = false;
  let isTrouble = false;

  function tell(isOver: boolean): void {
    for (const { done: due, resolve } of waiting) if (isOver || done >= due) resolve();
  }

  function sender(index: number): () => Promise<void> {
    const random = createRandom(options.seed * 1_000 + index);
    const port = options.ports[index % options.ports.length] ?? 0;
    const client = createHttpClient(port, `127.0.0.${2 + index}`);

    async function submit(): Promise<void> {
      const { status, text, ms } = await client.analyze(drawChange(random));
      if (status === 200) rfcIds.push(String(dataOf({ status, text, ms })['rfc_id']));
      else if (!isTrouble) faults.push(`analyze answered ${status}: ${text.slice(0, 200)}`);
    }

    async function perform(operation: Operation): Promise<void> {
      operations.push(operation);
      const answer = await client.send(operation.request);
      operation.answer = answer;
      if (answer.status === 200) done += 1;
      else if (answer.status >= 500 && !isTrouble) {
        faults.push(`${operation.kind} answered ${answer.status}: ${answer.text.slice(0, 200)}`);
      }
      tell(false);
    }

    return async () => {
      if (options.withRules && index === 0)
        await perform(makeRulesOperation()).catch(() => undefined);
      while (!isStopping) {
        try {
          if (rfcIds.length === 0 || random.next() < CHANGES) await submit();
          else await Promise.all(drawTwins(random, rfcIds).map(perform));
        } catch (thrown) {
          if (!isTrouble) faults.push(`no answer before the kill: ${String(thrown)}`);
          if (!options.keepsTrying) break;
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
      client.close();
      tell(true);
    };
  }

  const running = Array.from({ length: options.senders }, (_, index) => sender(index)());
  return {
    operations,
    rfcIds,
    faults,
    get done() {
      return done;
    },
    expectTrouble() {
      isTrouble = true;
    },
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
    reached: (due) =>
      new Promise((resolve) => {
        waiting.push({ done: due, resolve });
        if (done >= due) resolve();
      }),
  };
}

/** One operation, or now and then the same one twice. The newest RFCs are decided about most. */
function drawTwins(random: Random, rfcIds: readonly string[]): Operation[] {
  const operation = drawOperation(random, rfcIds.slice(-20));
  return random.next() < TWINS ? [operation, { ...operation }] : [operation];
}
