import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from './harness.ts';

/** A directory for the run, on the disk that temporary files are on. */
export function makeTemporary(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'cra-bench-'));
  return { path, remove: () => rmSync(path, REMOVE) };
}

/** A process that is being ended may still write. */
const REMOVE = { recursive: true, force: true, maxRetries: 10 };

const SYNCS = 200;
const PAGE = Buffer.alloc(4096, 1);

/** What durable means here: how long an append of 4 KB with fdatasync takes. */
export function describeDisk(directory: string): string {
  const path = join(directory, 'sync-probe');
  const descriptor = openSync(path, 'a');
  const times: number[] = [];
  for (let round = 0; round < SYNCS; round += 1) {
    writeSync(descriptor, PAGE);
    const start = performance.now();
    fdatasyncSync(descriptor);
    times.push((performance.now() - start) * 1000);
  }
  closeSync(descriptor);
  rmSync(path);
  const p50 = percentile(times, 0.5);
  const p99 = percentile(times, 0.99);
  const took = `${p50.toFixed(0)} us (p99 ${p99.toFixed(0)})`;
  return `disk: fdatasync after an append of 4 KB took ${took}`;
}
