import { fork } from 'node:child_process';
import { once } from 'node:events';
import type {
  BareRun,
  Entry,
  LoadAnswer,
  LoadOutcome,
  LoadPlan,
  PushRun,
  StormRun,
} from './load-message.ts';

/** The process that posts webhooks. */
export interface WebhookLoad {
  storm(run: Omit<StormRun, 'kind'>): Promise<LoadOutcome>;
  push(run: Omit<PushRun, 'kind'>): Promise<LoadOutcome>;
  /** Resolves when the first answer of the next storm has come. */
  begun(): Promise<unknown>;
  bare(run: Omit<BareRun, 'kind'>): Promise<LoadOutcome>;
  /** Everything that was posted until now, with what became of it. */
  ledger(): Promise<Entry[]>;
  stop(): Promise<void>;
}

/** Starts it with its plan. */
export async function startWebhookLoad(plan: LoadPlan): Promise<WebhookLoad> {
  const entry = new URL('./webhooks-process.js', import.meta.url);
  const child = fork(entry, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const waiting = new Map<number, (answer: LoadAnswer) => void>();
  let nextId = 1;
  child.on('message', (answer: LoadAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const ask = (question: { kind: string }) =>
    new Promise<LoadAnswer>((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, resolve);
      void exited.then(() => reject(new Error('the process that posts webhooks ended')));
      child.send({ ...question, id }, (error) => error && reject(error));
    });
  const run = async (question: StormRun | PushRun | BareRun) => {
    const { outcome } = await ask(question);
    if (outcome === null) throw new Error('a run without an outcome');
    return outcome;
  };
  await ask({ kind: 'plan', plan } as { kind: 'plan' });

  return {
    storm: (options) => run({ kind: 'storm', ...options }),
    push: (options) => run({ kind: 'push', ...options }),
    begun: () => new Promise((resolve) => waiting.set(0, resolve)),
    bare: (options) => run({ kind: 'bare', ...options }),
    ledger: async () => (await ask({ kind: 'ledger' })).ledger ?? [],
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
