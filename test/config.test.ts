import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readConfig } from '../src/config.ts';
import { secretDigest } from '../src/core/secret-digest.ts';

const TOKEN = 't'.repeat(32);

test('readConfig has the defaults of the README', (t) => {
  const config = readConfig({});
  t.is(config.host, '127.0.0.1');
  t.is(config.port, 3011);
  t.true(config.dataDir.endsWith('/data'));
  t.true(config.threads >= 2);
  t.false(config.auth.isEnabled);
});

test('readConfig names every bad variable at once and never a value', (t) => {
  const error = t.throws(() =>
    readConfig({
      SERVICE_PORT: 'hunter2',
      SERVICE_THREADS: '1',
      SERVICE_LOG_LEVEL: 'loud',
      SERVICE_AUTH_ENABLED: 'maybe',
      SERVICE_STORE_URL: 'postgres://u:hunter2@h',
    }),
  );
  for (const name of ['PORT', 'THREADS', 'LOG_LEVEL', 'AUTH_ENABLED', 'STORE_URL']) {
    t.true(error?.message.includes(`SERVICE_${name}`), name);
  }
  t.false(error?.message.includes('hunter2'));
});

test('readConfig refuses authentication without or with weak tokens', (t) => {
  t.throws(() => readConfig({ SERVICE_AUTH_ENABLED: 'true' }), { message: /CRA_API_TOKEN/ });
  const weak = { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: 'short' };
  t.throws(() => readConfig(weak), { message: /at least 32/ });
});

test('readConfig joins single token, list and file', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'token');
  writeFileSync(path, `${TOKEN}1\n`);
  const config = readConfig({
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN_FILE: path,
    SERVICE_API_TOKENS: `${TOKEN}2, ${TOKEN}3,`,
  });
  t.deepEqual(
    config.auth.apiTokens,
    [1, 2, 3].map((end) => secretDigest(`${TOKEN}${end}`)),
  );
  const both = { CRA_API_TOKEN_FILE: path, CRA_API_TOKEN: TOKEN };
  t.throws(() => readConfig(both), { message: /both set/ });
  t.throws(() => readConfig({ CRA_API_TOKEN_FILE: join(dir, 'no') }), {
    message: /cannot be read/,
  });
});
