import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { runAutocannon } from './autocannon.ts';
import { runWrk } from './wrk.ts';

/** One kind of request, sent again and again with these bodies or paths in turn. */
export interface Load {
  port: number;
  connections: number;
  seconds: number;
  requests: readonly LoadRequest[];
}

export interface LoadRequest {
  path: string;
  /** Null: GET. */
  body: Buffer | null;
  /** Beside `Host` and the type of the body. */
  headers?: Readonly<Record<string, string>>;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Answers other than 2xx, and requests without an answer. */
  failed: number;
  /** CPU of the load generator itself. */
  cpuSeconds: number;
}

export interface LoadGenerator {
  /** Name and version, for the report. */
  name: string;
  run(load: Load): Promise<LoadResult>;
}

/** `wrk` when it is on the PATH, else autocannon. */
export function findLoadGenerator(): LoadGenerator {
  const { error, stdout } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  if (error === undefined) {
    const version = /wrk \S+/.exec(stdout)?.[0] ?? 'wrk';
    return { name: version, run: runWrk };
  }
  const require = createRequire(import.meta.url);
  const { version } = require('autocannon/package.json') as { version: string };
  return { name: `autocannon ${version}`, run: runAutocannon };
}
