import test from 'ava';
import { request, startDaemonProcess, temporaryDir, until } from '../../daemon.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { openHouse } from '../../pushes/daemon/house.ts';
import { PushedRepository } from '../../pushes/daemon/pushed-repository.ts';
import { someOf } from '../../some-cases.ts';
import { type Script, startFakeVendor } from './fake-vendor.ts';
import {
  diffOf,
  type FileChange,
  filesOf,
  openWorld,
  type Protocol,
  reviewed,
  scriptedBy,
  settingsIn,
  settled,
  type World,
} from './review-world.ts';

/** The same change in another shape: what a model reads is the same text. */
interface Shape {
  about: string;
  make(files: [FileChange, FileChange]): string;
  over?: Record<string, unknown>;
}

const SAME: readonly Shape[] = [
  { about: 'byte for byte', make: (files) => diffOf(files) },
  { about: 'another branch', make: (files) => diffOf(files), over: { branch: 'again' } },
  {
    about: 'another message',
    make: (files) => diffOf(files),
    over: { commit_message: 'Please pass this time' },
  },
  {
    about: 'another commit and origin',
    make: (files) => diffOf(files),
    over: { commitSha: 'a'.repeat(40), repoFullName: 'acme/shop', diffSource: 'vcs-pr' },
  },
  { about: 'another case of the repository', make: diffOf, over: { repo_name: 'Acme/SHOP' } },
  { about: 'white space at the end of the diff', make: (files) => `${diffOf(files)}\n\n\n` },
  { about: 'another order of files', make: ([one, two]) => diffOf([two, one]) },
  { about: 'other index lines', make: (files) => diffOf(files, { index: 'index 3..4 100644' }) },
  { about: 'no index lines', make: (files) => diffOf(files, { index: '' }) },
  { about: 'other line numbers', make: (files) => diffOf(files, { start: 400 }) },
  {
    about: 'times behind the paths',
    make: (files) => diffOf(files, { times: '\t2026-01-02 03:04:05.000000000 +0000' }),
  },
  { about: 'CRLF', make: (files) => diffOf(files).replaceAll('\n', '\r\n') },
  { about: 'no context lines', make: (files) => diffOf(files, { context: 0 }) },
  { about: 'one context line', make: (files) => diffOf(files, { context: 1 }) },
  {
    about: 'other context lines',
    make: (files) => diffOf(files.map((file) => ({ ...file, before: ['  // above', '  go();'] }))),
  },
  {
    about: 'another indentation, white space at line ends',
    make: (files) => diffOf(files.map((file) => withLines(file, (line) => `\t\t${line.trim()}  `))),
  },
  {
    about: 'invisible characters',
    make: (files) => diffOf(files.map((file) => withLines(file, (line) => `${line}\u200b`))),
  },
  {
    about: 'lines in another order',
    make: (files) => diffOf(files.map((file) => ({ ...file, added: file.added.toReversed() }))),
  },
  { about: 'without the harmless file', make: ([one]) => diffOf([one]) },
  { about: 'without the other file', make: ([, two]) => diffOf([two]) },
  {
    about: 'with a harmless file more',
    make: (files) => diffOf([...files, ...filesOf('harmless').slice(1)]),
  },
  {
    about: 'with lines more',
    make: ([one, two]) =>
      diffOf([{ ...one, added: [...one.added, '  log("one more line");', '  done();'] }, two]),
  },
  {
    about: 'with comments and blank lines between the lines',
    make: (files) =>
      diffOf(
        files.map((file) => ({
          ...file,
          added: file.added.flatMap((line) => [line, '', `  // explains ${line.length}`]),
        })),
      ),
  },
  {
    about: 'one line left out',
    make: (files) => diffOf(files.map((file) => ({ ...file, added: file.added.slice(1) }))),
  },
  {
    about: 'one line changed',
    make: (files) =>
      diffOf(files.map((file) => ({ ...file, added: ['  start();', ...file.added.slice(1)] }))),
  },
  {
    about: 'other names of the files',
    make: (files) => diffOf(files.map((file) => ({ ...file, path: `lib/x/${file.path}` }))),
  },
];

function withLines(file: FileChange, edit: (line: string) => string): FileChange {
  return { ...file, removed: file.removed.map(edit), added: file.added.map(edit) };
}

/** Changes that a model may read, though a text of the repository is held. */
const OTHER: readonly Shape[] = [
  { about: 'another repository', make: diffOf, over: { repo_name: 'acme/other' } },
  {
    about: 'most lines rewritten',
    make: (files) =>
      diffOf(
        files.map((file) => ({
          ...file,
          removed: [],
          added: [
            ...file.added.slice(0, 1),
            ...[1, 2, 3, 4, 5].map((n) => `  rewritten(${n}, file);`),
          ],
        })),
      ),
  },
  {
    about: 'some of the lines in another file',
    make: ([one]) =>
      diffOf([{ ...one, path: 'src/elsewhere.js', added: one.added.slice(0, 4), removed: [] }]),
  },
  {
    about: 'the context lines alone',
    make: ([one]) => diffOf([{ ...one, removed: [], added: ['  audit(total, items);'] }]),
  },
];

const REASONS: readonly [string, (protocol: Protocol) => Script][] = [
  [
    'refused',
    (protocol) => ({
      kind: 'stop',
      reason: protocol === 'anthropic' ? 'refusal' : 'content_filter',
    }),
  ],
  ['invalid_output', () => ({ kind: 'text', text: 'All fine, nothing found.' })],
  ['too_large', () => ({ kind: 'http', status: 413 })],
  [
    'truncated',
    (protocol) => ({ kind: 'stop', reason: protocol === 'anthropic' ? 'max_tokens' : 'length' }),
  ],
];

const undo: (() => unknown)[] = [];
const worlds = {} as Record<Protocol, World>;

test.before(async () => {
  const t = { teardown: (step: () => unknown) => undo.push(step) };
  for (const protocol of ['anthropic', 'openai'] as const) {
    worlds[protocol] = await openWorld(t, protocol);
  }
});

test.after.always(() => {
  for (const step of undo.reverse()) step();
});

const HELD = { overall_status: 'BLOCKED' };

for (const protocol of ['anthropic', 'openai'] as const) {
  const same = [...SAME.entries()];
  for (const [index, { about, make, over }] of protocol === 'anthropic' ? same : someOf(same)) {
    const [reason = '', scriptOf] = REASONS[index % REASONS.length] ?? [];
    test.serial(`${protocol}: what was ${reason} stays held: ${about}`, async (t) => {
      const { vendor, scripts, daemon } = worlds[protocol];
      const name = `same-${index}`;
      const script = scriptOf?.(protocol);
      if (script === undefined) return t.fail();
      scripts.set(name, script);
      const first = await settled(daemon.url, diffOf(filesOf(name)));
      t.like(first, HELD);
      t.like(first.gates.llm, { status: 'skipped', skip_reason: reason, held: true });
      scripts.set(name, { kind: 'answer' });
      const asked = vendor.requests.length;
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const again = await settled(daemon.url, make(filesOf(name)), over);
        t.like(again, HELD);
        t.like(again.gates.llm, { status: 'skipped', skip_reason: reason, held: true });
        const ids = again.gates.llm.findings.map(({ id }: { id: string }) => id);
        t.deepEqual(ids, ['llm-held']);
      }
      t.is(vendor.requests.length, asked, 'no model is asked again');
    });
  }

  for (const [index, { about, make, over }] of OTHER.entries()) {
    test.serial(`${protocol}: another text is read: ${about}`, async (t) => {
      const { scripts, daemon } = worlds[protocol];
      const name = `other-${index}`;
      scripts.set(name, { kind: 'text', text: 'no' });
      t.like(await settled(daemon.url, diffOf(filesOf(name))), HELD);
      scripts.set(name, { kind: 'answer' });
      const read = await settled(daemon.url, make(filesOf(name)), over);
      t.is(read.overall_status, 'PASSED');
    });
  }

  test.serial(`${protocol}: of reviews of one text at once, none outruns an answer`, async (t) => {
    const { vendor, daemon } = worlds[protocol];
    const scripts = vendor.script;
    const finding = {
      file: 1,
      side: 'added',
      line: 1,
      quote: '',
      why: 'hidden',
      class: 'backdoor',
      attacker_input: 'yes',
      guard: '',
    };
    const firsts: readonly [string, Script, string][] = [
      ['race-unread', { kind: 'text', text: 'no' }, 'skipped'],
      ['race-found', { kind: 'answer', findings: [finding] }, 'fail'],
    ];
    for (const [name, first, status] of firsts) {
      let open: (value: unknown) => void = () => undefined;
      const after = new Promise((resolve) => {
        open = resolve;
      });
      const begun = vendor.requests.length;
      vendor.script = () => ({ kind: 'answer', after });
      const [file, other] = filesOf(name);
      const marked = { ...file, after: ['  // the first one'], before: [] };
      const others = [20, 30].map((start) => settled(daemon.url, diffOf([file, other], { start })));
      await until(() => vendor.requests.length === begun + others.length);
      vendor.script = (user) => (user.includes('first one') ? first : { kind: 'answer', after });
      const decided = await settled(daemon.url, diffOf([marked, other]));
      t.is(decided.gates.llm.status, status);
      open(null);
      for (const outrun of await Promise.all(others)) {
        t.like(outrun, HELD);
        t.is(outrun.gates.llm.status, status);
      }
      // The valid answers of the others are kept, and do not help either.
      vendor.script = scripts;
      t.like(await settled(daemon.url, diffOf([file, other], { start: 20 })), HELD);
    }
  });

  test.serial(`${protocol}: a person may ask again, and the new answer counts`, async (t) => {
    const world = worlds[protocol];
    const name = 'person';
    const diff = diffOf(filesOf(name));
    world.scripts.set(name, { kind: 'text', text: 'no' });
    t.like(await settled(world.daemon.url, diff), HELD);
    const second = await settled(world.daemon.url, diff);
    t.like(second.gates.llm, { skip_reason: 'invalid_output', held: true });
    const [stop = '', refusal] = REASONS[0] ?? [];
    world.scripts.set(name, refusal?.(protocol) ?? { kind: 'answer' });
    const refused = await reviewed(world.daemon.url, second.rfc_id);
    t.like(refused, HELD);
    t.is(refused.gates.llm.skip_reason, stop);
    world.scripts.set(name, { kind: 'answer' });
    t.like(await settled(world.daemon.url, diff), HELD, 'the answer to a person is remembered');
    const passed = await reviewed(world.daemon.url, second.rfc_id);
    t.is(passed.overall_status, 'PASSED');
    const third = await settled(world.daemon.url, diff);
    t.is(third.overall_status, 'PASSED', 'the text is not held any more');
  });
}

test.serial('a held text stays held after a restart', async (t) => {
  const world = worlds.anthropic;
  world.scripts.set('restart', { kind: 'stop', reason: 'refusal' });
  const diff = diffOf(filesOf('restart'));
  t.like(await settled(world.daemon.url, diff), HELD);
  world.scripts.set('restart', { kind: 'answer' });
  await world.restart();
  t.like(await settled(world.daemon.url, diff), HELD);
});

test.serial(
  'the service does not try one model again because another one is out of reach',
  async (t) => {
    const second = { name: 'second', role: 'fallback', model: 'n' };
    const world = await openWorld(t, 'anthropic', [second]);
    const { vendor, scripts, daemon } = world;
    const byName = scriptedBy(scripts);
    const isFirst = (index: number) =>
      (vendor.requests[index]?.body as { model?: string } | undefined)?.model === 'm';
    vendor.script = (user, index) =>
      isFirst(index) ? byName(user, index) : { kind: 'http', status: 401 };
    scripts.set('mixed', { kind: 'stop', reason: 'refusal' });
    const first = await settled(daemon.url, diffOf(filesOf('mixed')));
    t.like(first.gates.llm, { status: 'skipped', skip_reason: 'refused', held: true });
    scripts.set('mixed', { kind: 'answer' });
    // A start hastens what waits for a model that is back.
    await world.restart();
    const { body } = await request(`${world.daemon.url}/dispatcher/status`);
    t.like(body.data.llm.later, { queued: 0, running: 0 });
    t.like((await request(`${world.daemon.url}/rfc/${first.rfc_id}`)).body.data, HELD);
  },
);

test.serial('with on_skipped: allow nothing is held, and a model is asked again', async (t) => {
  const world = await openWorld(t, 'anthropic');
  const rules = { version: 1, extends: 'default', pipeline: { llm: { on_skipped: 'allow' } } };
  await request(`${world.daemon.url}/rules`, { method: 'PUT', body: JSON.stringify(rules) });
  world.scripts.set('allow', { kind: 'stop', reason: 'refusal' });
  const diff = diffOf(filesOf('allow'));
  t.is((await settled(world.daemon.url, diff)).overall_status, 'PASSED');
  const asked = world.vendor.requests.length;
  t.is((await settled(world.daemon.url, diff)).overall_status, 'PASSED');
  t.is(world.vendor.requests.length, asked + 1);
});

test.serial('a push of the same text is held, and so is the text in analyze', async (t) => {
  const vendor = await startFakeVendor(t);
  const scripts = new Map<string, Script>([['push', { kind: 'stop', reason: 'refusal' }]]);
  vendor.script = scriptedBy(scripts);
  const house = await openHouse(t, { env: settingsIn(temporaryDir(t), vendor, 'anthropic') });
  const repo = new PushedRepository(house, 'acme/pushed');
  repo.commit({ 'README.md': 'read me\n' });
  t.is((await repo.judge({ 'a.txt': 'one\n' })).overall_status, 'PASSED');
  const [file] = filesOf('push');
  const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;
  const first = await repo.judge({ 'src/push.js': text(file.added) });
  t.is(first.overall_status, 'BLOCKED');
  t.like(first.gates.llm, { skip_reason: 'refused', held: true });
  scripts.clear();
  const asked = vendor.requests.length;
  // The range of the next push has the text again, with what came after it.
  const later = await repo.judge({ 'src/push.js': text([...file.added, '  done();']) });
  const other = await settled(house.daemon.url, diffOf([{ ...file, removed: [] }]), {
    repo_name: 'acme/pushed',
  });
  for (const { overall_status, gates } of [later, other]) {
    t.is(overall_status, 'BLOCKED');
    t.like(gates.llm, { skip_reason: 'refused', held: true });
  }
  t.is(vendor.requests.slice(asked).filter(({ user }) => user.includes("'push'")).length, 0);
  t.is((await reviewed(house.daemon.url, later.rfc_id)).overall_status, 'PASSED');
});

test.serial('two daemons on MongoDB hold the same text', async (t) => {
  const vendor = await startFakeVendor(t);
  const scripts = new Map<string, Script>();
  vendor.script = scriptedBy(scripts);
  const key = (digit: string) => digit.repeat(64);
  const shared = {
    SERVICE_STORE_URL: databaseUrl(await sharedMongod()),
    SERVICE_SEAL_KEY: key('1'),
    SERVICE_FINGERPRINT_KEY: key('2'),
    SERVICE_CHECKPOINT_KEY: key('3'),
  };
  const start = (protocol: Protocol) => {
    const dataDir = temporaryDir(t);
    return startDaemonProcess(t, dataDir, { ...shared, ...settingsIn(dataDir, vendor, protocol) });
  };
  const [one, two] = await Promise.all([start('anthropic'), start('openai')]);
  scripts.set('mongo', { kind: 'stop', reason: 'refusal' });
  t.like(await settled(one.url, diffOf(filesOf('mongo'))), HELD);
  scripts.set('mongo', { kind: 'answer' });
  const asked = vendor.requests.length;
  const held = await settled(two.url, diffOf(filesOf('mongo'), { start: 90 }));
  t.like(held, HELD);
  t.like(held.gates.llm, { skip_reason: 'refused', held: true });
  t.is(vendor.requests.length, asked);
  t.is((await reviewed(two.url, held.rfc_id)).overall_status, 'PASSED');
  t.is((await settled(one.url, diffOf(filesOf('mongo')))).overall_status, 'PASSED');
  await Promise.all([one.stop(), two.stop()]);
});
