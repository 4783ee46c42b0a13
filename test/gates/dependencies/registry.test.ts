import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { parseDiff } from '../../../src/diff/parse.ts';
import { inspectDependencies } from '../../../src/gates/dependencies/inspect.ts';
import { type Arrival, createRegistry } from '../../../src/gates/dependencies/registry.ts';
import { diffOf } from '../configuration/run.ts';
import * as texts from './lockfile-texts.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;
/** A busy machine answers 200 times in it. */
const DEADLINE_MS = 120_000;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A registry that answers as it is told, and notes what it was asked. */
async function startRegistry(t: ExecutionContext, answer: Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ''}`.trim());
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/all`;
  const open = (token = '', holds = true) => {
    const place = { url, token };
    return createRegistry({ npm: place, pypi: place, hoursMin: 24, holds }, DEADLINE_MS);
  };
  return { asked, open };
}

const json = (value: unknown): Answer => {
  return (_, response) => void response.end(JSON.stringify(value));
};

const arrival = (over: Partial<Arrival> = {}): Arrival => ({
  ecosystem: 'npm',
  name: '@acme/tool',
  version: '2.2.0',
  from: '2.1.0',
  ...over,
});

const PACKUMENT = {
  time: { '2.1.0': '2020-01-01T00:00:00Z', '2.2.0': '2026-11-20T02:00:00Z' },
  versions: {
    '2.1.0': { _npmUser: { name: 'ann' }, maintainers: [{ name: 'ann' }, { name: 'bob' }] },
    '2.2.0': { _npmUser: { name: 'eve' }, deprecated: 'use another' },
    '2.3.0': { _npmUser: { name: 'bob' }, deprecated: '' },
  },
};

test('npm: age, deprecation and publisher of a version are read', async (t) => {
  const { asked, open } = await startRegistry(t, json(PACKUMENT));
  const registry = open('secret');
  const of = async (over: Partial<Arrival>) => {
    const { answered } = await registry.ask([arrival(over)], NOW_MS);
    return answered.map(({ facts }) => facts);
  };
  const publishedMs = Date.parse('2026-11-20T02:00:00Z');
  t.deepEqual(await of({}), [{ publishedMs, withdrawn: 'deprecated', newPublisher: 'eve' }]);
  t.deepEqual(asked, ['/all/@acme%2Ftool Bearer secret']);
  t.deepEqual(await of({ from: null }), [
    { publishedMs, withdrawn: 'deprecated', newPublisher: null },
  ]);
  t.deepEqual(await of({ version: '2.3.0' }), [
    { publishedMs: null, withdrawn: null, newPublisher: null },
  ]);
  t.deepEqual(await of({ version: '9.0.0' }), [null]);
  t.deepEqual(await of({ version: 'constructor' }), [null]);
  t.deepEqual(await of({ ecosystem: 'cargo' }), [], 'no registry is set for it');
  const before = asked.length;
  await of({});
  t.is(asked.length, before, 'it is remembered');
});

test('PyPI: time of upload and yanked files of a version are read', async (t) => {
  const file = (filename: string, over: object = {}) => ({ filename, yanked: false, ...over });
  const time = { 'upload-time': '2026-11-20T02:00:00Z' };
  const files = [
    file('acme_core-1.0-py3-none-any.whl', { yanked: 'broken' }),
    file('acme-core-1.0.tar.gz', time),
    file('acme_core-1.1-py3-none-any.whl', { 'upload-time': '2020-01-01T00:00:00Z' }),
  ];
  const { asked, open } = await startRegistry(t, json({ files }));
  const registry = open('me:secret');
  const python = { ecosystem: 'pypi', name: 'Acme.Core', from: null } as const;
  const given = ['1.0', '1.1', '1.2'].map((version) => arrival({ ...python, version }));
  const { answered } = await registry.ask(given, NOW_MS);
  t.deepEqual(
    new Map(answered.map(({ arrival: { version }, facts }) => [version, facts])),
    new Map([
      [
        '1.0',
        { publishedMs: Date.parse(time['upload-time']), withdrawn: 'yanked', newPublisher: null },
      ],
      ['1.1', { publishedMs: Date.parse('2020-01-01'), withdrawn: null, newPublisher: null }],
      ['1.2', null],
    ]),
  );
  t.is(asked[0], `/all/acme-core/ Basic ${Buffer.from('me:secret').toString('base64')}`);
});

test('what a registry does not say is said, is not remembered, and quotes nothing', async (t) => {
  let answer: Answer = (_, response) => void response.writeHead(500).end('secret');
  const { asked, open } = await startRegistry(t, (...given) => answer(...given));
  const registry = open();
  const ask = async (given: readonly Arrival[]) => {
    const { answered, unanswered, problem } = await registry.ask(given, NOW_MS);
    return [answered.length, unanswered, problem];
  };
  t.deepEqual(await ask([arrival()]), [0, 1, 'the registry answers 500']);
  answer = (_, response) => {
    response.writeHead(302, { location: 'https://registry.npmjs.org/a' }).end();
  };
  t.deepEqual(await ask([arrival()]), [0, 1, 'the registry answers 302'], 'no other host is asked');
  answer = (_, response) => void response.end('<html>');
  t.deepEqual(await ask([arrival()]), [0, 1, 'the registry answers no JSON']);
  answer = (_, response) => void response.writeHead(404).end();
  t.deepEqual(await ask([arrival()]), [1, 0, null]);
  const before = asked.length;
  const many = Array.from({ length: 203 }, (_, at) => arrival({ name: `acme-${at}` }));
  t.deepEqual(await ask(many), [200, 3, 'it brings more than 200 packages']);
  t.is(asked.length - before, 200);
  answer = (request) => void request.socket.destroy();
  const [, , problem] = await ask([arrival({ name: 'late' })]);
  t.regex(String(problem), /^the registry is not reached/);
});

test('a name that no registry can have is absent, and leads nowhere', async (t) => {
  const { asked, open } = await startRegistry(t, json(PACKUMENT));
  const names = ['..', '@x/../../secrets', 'a/b', 'a b', '\ud800', '@acme/', ''];
  const arrivals = names.map((name) => arrival({ name }));
  const { answered, unanswered } = await open('secret').ask(arrivals, NOW_MS);
  t.deepEqual(
    answered.map(({ facts }) => facts),
    names.map(() => null),
  );
  t.is(unanswered, 0);
  t.deepEqual(asked, []);
});

test('a registry that is out of reach is not asked again at once', async (t) => {
  const { asked, open } = await startRegistry(t, (request) => void request.socket.destroy());
  const registry = open();
  const { unanswered } = await registry.ask([arrival()], NOW_MS);
  const again = await registry.ask([arrival({ name: 'other' })], NOW_MS);
  t.deepEqual([unanswered, again.unanswered, again.answered.length], [1, 1, 0]);
  t.is(asked.length, 1);
});

test('a version without a time of publication counts as unanswered', async (t) => {
  const { open } = await startRegistry(t, json({ ...PACKUMENT, time: {} }));
  const { answered, unanswered, problem } = await open().ask([arrival()], NOW_MS);
  t.deepEqual([answered.length, unanswered], [1, 1]);
  t.regex(problem ?? '', /when they were published/);
});

test('gate 1 asks about versions that a registry has, and says what it hears', async (t) => {
  const { asked, open } = await startRegistry(t, json(PACKUMENT));
  const after = texts.NPM_3.replace('"version": "2.1.0"', '"version": "2.2.0"').replace(
    'acme-tool-2.1.0.tgz',
    'acme-tool-2.2.0.tgz',
  );
  const bytes = Buffer.from(diffOf('package-lock.json', texts.NPM_3, after, 3));
  const { files } = parseDiff(bytes);
  const inspect = async (registry: ReturnType<typeof open> | null, nowMs = NOW_MS) => {
    const input = { bytes, files, trees: null, fingerprintKey: new Uint8Array(32) };
    const { findings } = await inspectDependencies({ ...input, registry, nowMs });
    return findings.filter(({ id }) => id.includes('registry'));
  };
  const ids = async (...given: Parameters<typeof inspect>) =>
    (await inspect(...given)).map(({ id, severity }) => `${id} ${severity}`);
  t.deepEqual(await ids(null), []);
  const [lately, ...rest] = await inspect(open());
  t.like(lately, { id: 'risk-registry-published-lately', severity: 'high' });
  t.regex(lately?.message ?? '', /^acme-tool 2\.2\.0 was published 10 hours ago\./);
  t.regex(lately?.excerpt ?? '', /acme-tool/);
  t.deepEqual(
    rest.map(({ id }) => id),
    ['risk-registry-withdrawn', 'risk-registry-new-publisher'],
  );
  t.deepEqual(asked, ['/all/acme-tool']);
  t.deepEqual(await ids(open(), NOW_MS + 24 * HOUR_MS), [
    'risk-registry-withdrawn medium',
    'risk-registry-new-publisher medium',
  ]);
  const gone = createRegistry({
    npm: { url: 'http://127.0.0.1:1', token: '' },
    pypi: null,
    hoursMin: 24,
    holds: false,
  });
  t.deepEqual(await ids(gone), ['registry-unanswered info']);
  t.deepEqual(await ids({ ...gone, holds: true }), ['registry-unanswered high']);
});
