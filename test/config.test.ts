import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readConfig } from '../src/config.ts';

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
  t.deepEqual(config.auth.apiTokens, [`${TOKEN}1`, `${TOKEN}2`, `${TOKEN}3`]);
  const both = { CRA_API_TOKEN_FILE: path, CRA_API_TOKEN: TOKEN };
  t.throws(() => readConfig(both), { message: /both set/ });
  t.throws(() => readConfig({ CRA_API_TOKEN_FILE: join(dir, 'no') }), {
    message: /cannot be read/,
  });
});

test('readConfig chooses the store by its URL, which may stand in a file', (t) => {
  t.deepEqual(readConfig({}).store, { kind: 'sqlite' });
  t.deepEqual(readConfig({ SERVICE_STORE_URL: 'sqlite:' }).store, { kind: 'sqlite' });
  const dir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'url');
  for (const url of ['mongodb://a:27017,b/cra?replicaSet=rs', 'mongodb+srv://c.example/cra']) {
    writeFileSync(path, `${url}\n`);
    t.deepEqual(readConfig({ SERVICE_STORE_URL_FILE: path }).store, { kind: 'mongodb', url });
  }
  for (const url of ['mongodb:', 'mongo://a', 'mongodb://a b', 'sqlite:/tmp/x']) {
    t.throws(() => readConfig({ SERVICE_STORE_URL: url }), { message: /SERVICE_STORE_URL must/ });
  }
});

test('readConfig takes keys of 64 hex digits, and shows none', (t) => {
  const key = 'ab'.repeat(32);
  const { keys } = readConfig({ SERVICE_SEAL_KEY: key.toUpperCase() });
  t.deepEqual(keys.seal, Buffer.from(key, 'hex'));
  t.deepEqual([keys.fingerprint, keys.checkpoint], [null, null]);
  for (const name of ['SEAL', 'FINGERPRINT', 'CHECKPOINT']) {
    for (const bad of [key.slice(2), `${key}00`, 'zz'.repeat(32)]) {
      const error = t.throws(() => readConfig({ [`SERVICE_${name}_KEY`]: bad }));
      t.regex(error?.message ?? '', new RegExp(`SERVICE_${name}_KEY must be 64 hex digits`));
      t.false(error?.message.includes(bad));
    }
  }
});
