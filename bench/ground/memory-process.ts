import { Worker } from 'node:worker_threads';

/** Runs one hog in a thread with a heap limit: `HOG OLD_SPACE_MIB`. Ends with the thread. */
const [hog, oldSpaceMiB] = process.argv.slice(2);
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const thread = new Worker(new URL(`./memory-thread${extension}`, import.meta.url), {
  workerData: hog,
  resourceLimits: { maxOldGenerationSizeMb: Number(oldSpaceMiB) },
});
thread.on('message', (message) => process.send?.(`enough: ${message}`));
thread.on('error', (error) => {
  const code = 'code' in error ? String(error.code) : error.message;
  process.send?.(`thread ended: ${code}`);
});
thread.on('exit', () => process.disconnect());
