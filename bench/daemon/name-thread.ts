import { readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';

/**
 * Loaded by `--import` into every thread of a process that `thread-cpu` watches: leaves a file by
 * the name `PID-THREAD` that holds what the thread runs. proc(5) knows threads by number alone.
 */
const directory = new URL(import.meta.url).searchParams.get('directory') ?? '';
const [pid, , thread] = readlinkSync('/proc/thread-self').split('/');
const { role = null } = (workerData ?? {}) as { role?: string };

writeFileSync(join(directory, `${pid}-${thread}`), role ?? process.argv[1] ?? '');
