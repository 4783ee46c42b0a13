export type WorkerName = 'scan' | 'ast' | 'store' | 'rules' | 'git' | 'git-launcher';

/**
 * Where a worker's entry module is. The only place that knows: URL strings are not rewritten by
 * tsc, and with `rootDir` "." the relative path is the same for sources and for dist.
 */
export function workerEntry(name: WorkerName): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`../../workers/${name}.${extension}`, import.meta.url);
}
