import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { analyze, change, newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';

const run = promisify(execFile);

const DIFF = change(newFile('a.py', 'print(1)\n'));

const ATTACKS: [string, string[]][] = [
  ['slow headers', ['-H']],
  ['slow bodies', ['-B', '-t', 'POST', '-s', '33554432']],
  ['slow reading', ['-X', '-w', '1', '-y', '10']],
];

for (const [title, options] of ATTACKS) {
  // Most of an attack is waiting, so they run at the same time, each on its own daemon.
  test(`the service answers others during slowhttptest with ${title}`, async (t) => {
    const daemon = await startDaemonProcess(t, temporaryDir(t));
    const path = options.includes('-B') ? 'analyze' : 'rfcs';
    const bounds = ['-c', '500', '-r', '250', '-i', '2', '-l', '8'];
    const attack = run('slowhttptest', [...options, ...bounds, '-u', `${daemon.url}/${path}`]);
    let isOver = false;
    const over = attack.finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver) {
      const answer = await analyze(daemon.url, DIFF);
      t.is(answer.status, 200);
      answered += 1;
    }
    const { stdout } = await over;
    // Its own probe connection must never have been left without an answer.
    t.regex(stdout, /service available:.*YES/);
    t.notRegex(stdout, /service available:.*NO/);
    t.true(answered > 10);
    t.is(await daemon.stop(), 0);
  });
}

test.serial('every request of wrk is answered with 200, and each is stored', async (t) => {
  const dir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const script = join(dir, 'post.lua');
  const body = JSON.stringify(DIFF);
  writeFileSync(script, `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n`);
  const args = ['-t', '1', '-c', '16', '-d', '5s', '-s', script, `${daemon.url}/analyze`];
  const { stdout } = await run('wrk', args);
  t.false(stdout.includes('Non-2xx'), stdout);
  t.false(stdout.includes('Socket errors'), stdout);
  const sent = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  t.true(sent > 100, stdout);
  let stored = 0;
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await fetch(`${daemon.url}/rfcs?limit=100${query}`);
    const { data, next_cursor } = (await page.json()) as {
      data: unknown[];
      next_cursor: string | null;
    };
    stored += data.length;
    cursor = next_cursor;
  }
  // Those in flight at the end may be stored without having been counted.
  t.true(stored >= sent && stored <= sent + 16, `${stored} stored, ${sent} answered`);
  t.is(await daemon.stop(), 0);
});
