import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readClientSettings } from '../../src/daemon/config/config.ts';
import { temporaryFolder } from './fixtures/repository.ts';

test('readClientSettings has the defaults that --help names', (t) => {
  const { baseUrl, token, rulesPath, wantsColour } = readClientSettings({});
  t.deepEqual(
    { baseUrl, token, rulesPath, wantsColour },
    { baseUrl: 'http://127.0.0.1:3011', token: '', rulesPath: null, wantsColour: true },
  );
});

test('readClientSettings takes the token from a file', (t) => {
  const path = join(temporaryFolder(t), 'token');
  writeFileSync(path, 'secret\n');
  t.is(readClientSettings({ CRA_API_TOKEN_FILE: path }).token, 'secret');
  const both = { CRA_API_TOKEN_FILE: path, CRA_API_TOKEN: 'x' };
  t.throws(() => readClientSettings(both), { message: /given twice/ });
});

test('readClientSettings wants no colours with NO_COLOR or on a dumb terminal', (t) => {
  t.false(readClientSettings({ NO_COLOR: '1' }).wantsColour);
  t.true(readClientSettings({ NO_COLOR: '' }).wantsColour);
  t.false(readClientSettings({ TERM: 'dumb' }).wantsColour);
});

test('readClientSettings keeps from git what would change its output', (t) => {
  const { gitEnvironment } = readClientSettings({
    PATH: '/bin',
    GIT_INDEX_FILE: 'index.lock',
    GIT_EXTERNAL_DIFF: 'x',
    GIT_DIFF_OPTS: '-u0',
    GIT_PAGER: 'x',
  });
  t.deepEqual(gitEnvironment, {
    PATH: '/bin',
    GIT_INDEX_FILE: 'index.lock',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
  });
});
