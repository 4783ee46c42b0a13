import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describeMachine } from './machine.ts';
import { HOGS } from './memory-hogs.ts';

/**
 * Does `resourceLimits` keep a thread's hunger for memory to that thread? Runs each hog under
 * each limit (MiB; default 64, 512, 1024) in a process of its own; prints a table in Markdown.
 */
const HOG_MS_MAX = 60_000;
const limits = process.argv.length > 2 ? process.argv.slice(2) : ['64', '512', '1024'];

console.log(`${describeMachine()}\n`);
console.log(`| what the thread does | ${limits.map((limit) => `${limit} MiB`).join(' | ')} |`);
console.log(`|${'---|'.repeat(limits.length + 1)}`);
for (const hog of Object.keys(HOGS)) {
  const cells: string[] = [];
  for (const limit of limits) cells.push(await outcome(hog, limit));
  console.log(`| ${hog} | ${cells.join(' | ')} |`);
}

/** `process died`, or what the thread said last. */
async function outcome(hog: string, limit: string): Promise<string> {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const child = fork(new URL(`./memory-process${extension}`, import.meta.url), [hog, limit], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: HOG_MS_MAX,
  });
  let said = 'nothing';
  child.on('message', (message) => {
    said = String(message);
  });
  const [code, signal] = await once(child, 'exit');
  if (signal === 'SIGTERM') return `still running after ${HOG_MS_MAX / 1000} s`;
  return code === 0 ? said : `**process died: ${signal ?? `exit ${code}`}**`;
}
