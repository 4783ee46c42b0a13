import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Kind, KindResult } from './kinds.ts';

/** How a process ended in which threads were lost, and what it saw if it lived to the end. */
export interface Proof {
  /** `exit 0`, or the code or signal with which the process died. */
  ended: string;
  result: KindResult | null;
}

/** Loses `count` threads of a kind in a process of its own, so that a crash is an answer too. */
export async function proveKind(kind: Kind, count: number): Promise<Proof> {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const child = fork(new URL(`./ground-process${extension}`, import.meta.url), [
    kind,
    String(count),
  ]);
  let result: KindResult | null = null;
  child.on('message', (message) => {
    result = message as KindResult;
  });
  const [code, signal] = await once(child, 'exit');
  return { ended: signal === null ? `exit ${code}` : String(signal), result };
}
