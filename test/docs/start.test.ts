import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { ENVIRONMENT } from '../cli/fixtures/repository.ts';
import { temporaryDir } from '../daemon.ts';
import { freePort } from '../free-port.ts';

/** In the order of the handbook: each uses what the ones before have made. */
const PAGES = [
  ...['start/laptop-hook', 'start/first-server', 'start/first-host', 'start/first-approver'],
  ...['start/first-deploy', 'start/first-agent', 'how-to/own-rules'],
];
const LIMIT_MS = 240_000;

test('the pages for the first steps do what they say, command by command', async (t) => {
  t.timeout(LIMIT_MS);
  const port = String(await freePort());
  const text = PAGES.map((name) => readFileSync(`docs/${name}.md`, 'utf8')).join('\n');
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const blocks = (kind: string) =>
    fences.filter(([, name]) => name === kind).map(([, , block = '']) => block);
  const commands = blocks('sh')
    .join('')
    .replaceAll('127.0.0.1:3011', `127.0.0.1:${port}`)
    // On a busy machine the hook needs more than its 4.5 s.
    .replaceAll('--fail closed', '--fail closed --within 60');
  const { status, stdout } = spawnSync(
    'bash',
    ['-c', `exec 2>&1; set -eo pipefail; trap 'kill $(jobs -p)' EXIT\n${commands}`],
    {
      env: { ...ENVIRONMENT, HOME: temporaryDir(t), SERVICE_PORT: port, SERVICE_THREADS: '1' },
      encoding: 'utf8',
      timeout: LIMIT_MS,
    },
  );
  t.is(status, 0, stdout);
  const printed = new Set(stdout.split('\n').map((line) => line.trimEnd()));
  const shown = blocks('').join('').trimEnd().split('\n');
  t.true(shown.length > PAGES.length);
  t.deepEqual(
    shown.filter((line) => !printed.has(line)),
    [],
    stdout,
  );
});
