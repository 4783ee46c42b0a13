import test from 'ava';
import { runCommand } from './fixtures/command.ts';
import { data, failure, startFakeService } from './fixtures/fake-service.ts';

const HELD = data({ allowed: false, reason: 'the newest change is blocked', approveUrl: 'u' });

test('cra prod-check refuses an option without a value', async (t) => {
  const service = await startFakeService(t, () => data({ allowed: true, reason: 'r' }));
  for (const option of ['environment', 'sha', 'branch', 'component']) {
    const args = ['prod-check', 'acme/shop', '--server', service.url, `--${option}`, ''];
    const { code, stderr } = await runCommand(args);
    t.is(code, 2, stderr);
    t.regex(stderr, new RegExp(`--${option} is empty`));
  }
  const { code } = await runCommand(['prod-check', '', '--server', service.url]);
  t.is(code, 2);
  t.deepEqual(service.requests, []);
});

test('cra prod-check --wait ends in time at a service that says 503, and when it is interrupted', async (t) => {
  const away = await startFakeService(t, () => failure(503, 'away', { 'Retry-After': '30' }));
  const held = await startFakeService(t, () => HELD);
  const start = performance.now();
  const [late, interrupted] = await Promise.all([
    runCommand(['prod-check', 'acme/shop', '--server', away.url, '--wait', '1s']),
    runCommand(['prod-check', 'acme/shop', '--server', held.url, '--wait', '1h'], {
      onStart: (child) => child.stderr?.once('data', () => child.kill('SIGTERM')),
    }),
  ]);
  t.true(performance.now() - start < 25_000);
  t.is(late.code, 2);
  t.regex(late.stderr, /did not answer within --wait 1s/);
  t.is(interrupted.code, 2);
  t.regex(interrupted.stderr, /^waiting: .*\n.*interrupted\n$/);
});

test('cra report-deploy reports to a service that comes back', async (t) => {
  let isAway = true;
  const away = await startFakeService(t, () => (isAway ? 'drop' : data({ deploy: {} })));
  const args = ['report-deploy', 'acme/shop', '--environment', 'prod', '--sha', 'a'.repeat(40)];
  const { code, stdout } = await runCommand([...args, '--result', 'failed', '--server', away.url], {
    onStart: (child) =>
      child.stderr?.once('data', () => {
        isAway = false;
      }),
  });
  t.is(code, 0, stdout);
  const [first, second] = away.requests.map(({ change }) => Object(change));
  t.is(first.at, second.at);
  t.true(first.sent_at < second.sent_at);
});
