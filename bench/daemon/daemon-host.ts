import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readConfig } from '../../src/daemon/config/config.ts';
import { startDaemon } from '../../src/daemon/main.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { type HostAnswer, type HostQuestion, LAG_RESOLUTION_MS } from './host-message.ts';

/**
 * A daemon as `cra serve` runs it, in a process that tells its parent how it feels. Settings come
 * from the environment; the argument sets after how many ms analyze answers with a DRAFT.
 */
const answerWithinMs = Number(process.argv[2] ?? 0);
const config = readConfig();
const daemon = await startDaemon({
  config,
  log: createLogger(config.logLevel),
  onFatal: (error) => {
    console.error(error);
    process.exit(1);
  },
  // Proofs lose more threads than a daemon is meant to: it goes on.
  onWornOut: () => undefined,
  ...(answerWithinMs > 0 && { answerWithinMs }),
});
const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
lag.enable();

process.on('message', (question: HostQuestion) => {
  if (question.kind === 'stop') void stop();
  else if (question.kind === 'reset-lag') lag.reset();
  else send(sample(question.id));
});
// Without its parent nobody would ever end it.
process.on('disconnect', () => void stop());
send({ kind: 'ready', port: daemon.port });

async function stop(): Promise<void> {
  process.exitCode = await daemon.stop();
  // Threads write their profile when the process ends by itself; native handles would keep it.
  process.exit();
}

function sample(id: number): HostAnswer {
  const toMs = (ns: number) => Math.max(0, ns / 1e6 - LAG_RESOLUTION_MS);
  return {
    kind: 'sample',
    id,
    lagP50Ms: toMs(lag.percentile(50)),
    lagP99Ms: toMs(lag.percentile(99)),
    lagMaxMs: toMs(lag.max),
    rssMb: process.memoryUsage.rss() / 1e6,
    childPids: daemon.childPids(),
    threadsReplaced: daemon.threadsReplaced,
  };
}

function send(answer: HostAnswer): void {
  process.send?.(answer);
}
