import { parentPort, workerData } from 'node:worker_threads';
import { HOGS } from './memory-hogs.ts';

const startedAt = performance.now();
const kept = HOGS[workerData as keyof typeof HOGS]();
const heapMiB = Math.round(process.memoryUsage().heapUsed / (1024 * 1024));
const ms = Math.round(performance.now() - startedAt);
parentPort?.postMessage(`${typeof kept} in ${ms} ms, heap ${heapMiB} MiB`);
