import { hash } from 'node:crypto';
import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CraError } from '../../src/model/errors.ts';
import { rulesRevision } from '../../src/model/rules.ts';
import { loadActiveRules } from '../../src/rulebook/active-rules.ts';
import { openRules, type RulesKeeper } from '../../src/rulebook/rules-keeper.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { change as changeOf, newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { fails, NOW } from '../store/conformance/steps.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const RULE = {
  id: 'risk-kill-switch',
  description: 'The kill switch is touched',
  regex: 'KILL_SWITCH\\s*=',
  severity: 'high',
  message: 'the kill switch changes',
  source: 'https://wiki.example/kill-switch',
  examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill_switches = 1'] },
};
const GOOD = rulesText();
const BAD = JSON.stringify({
  version: 1,
  risk_patterns: [{ ...RULE, regex: '(' }],
  allow_empty: true,
});
const BUILT_IN = rulesRevision(defaultRules);

/** A rules file of one rule, small enough to be built in no time. */
function rulesText(message = RULE.message): string {
  return JSON.stringify({ version: 1, risk_patterns: [{ ...RULE, message }], allow_empty: true });
}

async function openBook(t: ExecutionContext) {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const path = join(temporaryDir(t), 'rules.json');
  const open = async (from: string | null = path) =>
    openRules({
      store: harness.rulebook,
      path: from,
      defaults: await loadActiveRules(null),
      now: () => new Date(NOW),
    });
  return {
    entries: harness.entries,
    path,
    open,
    write: (text: string) => writeFileSync(path, text),
    /** Stores a revision as another program would: nobody tried it. */
    async store(text: string, number: number) {
      const { revision } = { revision: '0'.repeat(16) };
      const at = new Date(NOW).toISOString();
      await harness.rulebook.addRules({
        expected: number - 1,
        text,
        entry: {
          revision,
          source: 'api',
          text_sha256: '0'.repeat(64),
          added_at: at,
          added_by: 'another',
          comment: '',
        },
        event: {
          kind: 'rules',
          phase: 'whole',
          op_id: `op-${number}`,
          tenant_id: 'default',
          principal: null,
          actor: null,
          rfc_id: null,
          rfc_rev: null,
          repo_name: null,
          reason: null,
          details: {},
        },
      });
    },
  };
}

function messageInForce(keeper: RulesKeeper): string | undefined {
  return keeper.source.rules.risk_patterns.find(({ id }) => id === RULE.id)?.message;
}

const change = (text: string, expected: number | null = null) => ({ text, expected, comment: '' });

test.serial('a slow rule is refused from a caller, and warned of from the file', async (t) => {
  const { open, path } = await openBook(t);
  const slow = { ...RULE, regex: '(?:.{0,500}a){2}.{0,500}bcd|KILL_SWITCH\\s*=' };
  const text = JSON.stringify({ version: 1, risk_patterns: [slow], allow_empty: true });
  writeFileSync(path, text);
  const keeper = await open();
  const { number, problems, warnings } = keeper.state();
  t.deepEqual([number, problems.length], [1, 0]);
  t.regex(warnings.join('; '), /no secret_patterns.*risk-kill-switch: the regex takes \d+ times/);
  await t.throwsAsync(keeper.build(text), { message: /^rules: rule risk-kill-switch: .* times/ });
});

test.serial('without a file and revisions the built-in rules are in force', async (t) => {
  const { open } = await openBook(t);
  const keeper = await open(null);
  t.deepEqual(keeper.state(), {
    number: 0,
    revision: BUILT_IN,
    built_in: true,
    problems: [],
    warnings: [],
  });
  const json = Buffer.from(keeper.inForce().json()).toString();
  t.is(json, JSON.stringify(defaultRules), 'the build has written what src/rules holds');
});

test.serial('a rules file becomes a revision once, and again only when it changes', async (t) => {
  const { open, write } = await openBook(t);
  write(GOOD);
  await open();
  const keeper = await open();
  t.is(keeper.state().number, 1);
  write(rulesText('changed'));
  await keeper.reload();
  t.is(keeper.state().number, 2);
  t.is(messageInForce(keeper), 'changed');
  t.deepEqual(
    (await keeper.list(null)).map(({ number, source, added_by }) => [number, source, added_by]),
    [
      [2, 'file', 'cra'],
      [1, 'file', 'cra'],
    ],
  );
});

test.serial('what was put by the API outlives a restart with the same file', async (t) => {
  const { open, write } = await openBook(t);
  write(GOOD);
  const keeper = await open();
  await keeper.replace(MANAGER, change(rulesText('by the API')));
  t.is(messageInForce(await open()), 'by the API');
});

test.serial('a file that turned bad, or is gone, changes nothing but the state', async (t) => {
  const { open, write, path } = await openBook(t);
  write(GOOD);
  const keeper = await open();
  const before = keeper.state();
  write(BAD);
  await keeper.reload();
  t.like(keeper.state(), { number: before.number, revision: before.revision });
  t.regex(keeper.state().problems.join(), /rules\.json: rule risk-kill-switch/);
  unlinkSync(path);
  await keeper.reload();
  t.regex(keeper.state().problems.join(), /ENOENT/);
  t.is(messageInForce(keeper), RULE.message);
  write(GOOD);
  await keeper.reload();
  t.deepEqual(keeper.state(), before);
});

test.serial(
  'a bad file ends the start when there is nothing else, and is reported otherwise',
  async (t) => {
    const { open, write } = await openBook(t);
    write(BAD);
    await fails(t, open(), 'INVALID_ARGUMENT');
    write(GOOD);
    await open();
    write(BAD);
    const keeper = await open();
    t.is(keeper.state().number, 1);
    t.is(keeper.state().problems.length, 1);
  },
);

test.serial('replace refuses rules that are wrong in words, and rules that moved on', async (t) => {
  const { open } = await openBook(t);
  const keeper = await open(null);
  for (const text of [BAD, '', '{"version":2}', 'null']) {
    await fails(t, keeper.replace(MANAGER, change(text)), 'INVALID_ARGUMENT');
  }
  t.is(keeper.state().number, 0);
  t.is((await keeper.replace(MANAGER, change(GOOD, 0))).number, 1);
  await fails(t, keeper.replace(MANAGER, change(rulesText('b'), 0)), 'ABORTED');
  t.is(messageInForce(keeper), RULE.message);
});

test.serial(
  'of changes that race on one revision one wins; without an expectation all are stored',
  async (t) => {
    const { open } = await openBook(t);
    const one = await open(null);
    const other = await open(null);
    const raced = await Promise.allSettled([
      one.replace(MANAGER, change(rulesText('a'), 0)),
      other.replace(MANAGER, change(rulesText('b'), 0)),
    ]);
    t.deepEqual(raced.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const all = await Promise.all([
      one.replace(MANAGER, change(rulesText('c'))),
      other.replace(MANAGER, change(rulesText('d'))),
    ]);
    t.deepEqual(all.map(({ number }) => number).sort(), [2, 3]);
    await Promise.all([one.follow(), other.follow()]);
    t.is(one.state().number, 3);
    t.is(one.state().revision, other.state().revision);
  },
);

test.serial('a look at the stored rules that takes long is not begun again', async (t) => {
  const book = await openBook(t);
  const keeper = await book.open(null);
  await book.store(GOOD, 1);
  const looks = Array.from({ length: 10 }, () => keeper.follow());
  t.is(new Set(looks).size, 1);
  await Promise.all(looks);
  t.is(keeper.state().number, 1);
  t.deepEqual(keeper.state().problems, []);
});

test.serial('rules of another daemon come into force by following', async (t) => {
  const { open } = await openBook(t);
  const one = await open(null);
  const other = await open(null);
  await one.replace(MANAGER, change(GOOD));
  t.is(other.state().number, 0);
  await other.follow();
  const shown = (keeper: RulesKeeper) => ({ ...keeper.inForce(), json: keeper.inForce().json() });
  t.deepEqual(shown(other), shown(one));
  t.is(messageInForce(other), RULE.message);
});

test.serial(
  'rollBack makes an old text the newest; revisions and the trail keep everything',
  async (t) => {
    const { open, entries } = await openBook(t);
    const keeper = await open(null);
    const first = await keeper.replace(MANAGER, change(GOOD));
    await keeper.replace(MANAGER, change(rulesText('b')));
    const third = await keeper.rollBack(MANAGER, 1, null);
    t.like(third, { number: 3, revision: first.revision, comment: 'back to revision 1' });
    t.is(messageInForce(keeper), RULE.message);
    t.is(await keeper.textOf(1), await keeper.textOf(3));
    t.deepEqual(
      (await keeper.list(3)).map(({ number }) => number),
      [2, 1],
    );
    await fails(t, keeper.rollBack(MANAGER, 9, null), 'NOT_FOUND');
    await fails(t, keeper.textOf(9), 'NOT_FOUND');
    const told = (await entries()).filter(({ kind }) => kind === 'rules');
    t.deepEqual(
      told.map(({ details, principal }) => [details['number'], principal?.id]),
      [1, 2, 3].map((number) => [number, MANAGER.id]),
    );
  },
);

test.serial(
  'a stored revision that cannot be built leaves the rules in force and is reported',
  async (t) => {
    const { open, store } = await openBook(t);
    const keeper = await open(null);
    await keeper.replace(MANAGER, change(GOOD));
    await store(BAD, 2);
    await keeper.follow();
    t.is(keeper.state().number, 1);
    t.regex(keeper.state().problems.join(), /stored rules, revision 2: rule risk-kill-switch/);
    const before = performance.now();
    for (let count = 0; count < 50; count += 1) await keeper.follow();
    t.is(keeper.state().problems.length, 1);
    // Fifty processes that try the rules again would take many seconds.
    t.true(performance.now() - before < 15_000);
    // It is not an obstacle to better ones.
    t.is((await keeper.replace(MANAGER, change(rulesText('mended')))).number, 3);
    t.deepEqual(keeper.state().problems, []);
    t.is(messageInForce(keeper), 'mended');
  },
);

test.serial(
  'no start under other rules than the stored ones; a corrected file gets it going',
  async (t) => {
    const { open, store, write } = await openBook(t);
    await store(BAD, 1);
    const error = await t.throwsAsync(open(null), { instanceOf: CraError });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.regex(error?.message ?? '', /revision 1: rule risk-kill-switch.*SERVICE_RULES_PATH/);
    write(GOOD);
    const keeper = await open();
    t.is(keeper.state().number, 2);
    t.is(messageInForce(keeper), RULE.message);
  },
);

test('a rule in mode monitor or warn is listed and blocks nothing', async (t) => {
  const { url } = await startDaemonProcess(t, temporaryDir(t));
  const send = async (method: string, path: string, content: object) => {
    const answer = await fetch(`${url}/${path}`, { method, body: JSON.stringify(content) });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const modes = [
    { rules: ['risk-*', 'secret-*', 'vuln-*'], mode: 'monitor', branches: ['feature/*'] },
    { rules: ['risk-kill-switch'], mode: 'warn', branches: ['main'] },
  ];
  const withModes = (pipeline: object) => ({
    version: 1,
    extends: 'default',
    risk_patterns: [RULE],
    pipeline,
  });
  const refusal = async (rules: object) => {
    const { status, body } = await send('PUT', 'rules', rules);
    return `${status} ${body.error}`;
  };
  t.regex(await refusal(withModes({ modes })), /^400 .*lower vuln-\*, which/);
  const misspelt = withModes({ modes: [{ rules: ['risk-*'], mode: 'watch' }] });
  t.regex(await refusal(misspelt), /^400 rules: .*mode/);
  const [first, second] = modes;
  const lesser = withModes({ modes: [{ ...first, rules: ['risk-*', 'secret-*'] }, second] });
  t.is((await send('PUT', 'rules', lesser)).status, 200);

  const killed = newFile('a.py', 'KILL_SWITCH = 1\n');
  const injection = newFile('a.js', 'app.get("/", (req) => exec("ls " + req.query.dir));\n');
  const body = hash('sha512', 'a key', 'base64').slice(0, 64);
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${body}\n-----END RSA PRIVATE KEY-----\n`;
  const key = newFile('key.pem', pem);
  const verdictOf = async (diff: string, branch: string) => {
    const { data } = (await send('POST', 'analyze', { ...changeOf(diff), branch })).body;
    const { findings } = data.gates.risk;
    const open = findings.filter((each: { suppressed: unknown }) => each.suppressed === null);
    const by = findings.map((each: { suppressed: { by: string } | null }) => each.suppressed?.by);
    return [data.overall_status, open.map(({ id }: { id: string }) => id).sort(), by.sort()[0]];
  };
  t.deepEqual(await verdictOf(killed, 'feature/x'), ['PASSED', [], 'mode monitor']);
  t.deepEqual(await verdictOf(killed, 'main'), ['PASSED', [], 'mode warn']);
  t.deepEqual((await verdictOf(killed, 'other'))[0], 'BLOCKED');
  // No mode lowers a private key or a vulnerability.
  t.deepEqual((await verdictOf(key, 'feature/x'))[0], 'BLOCKED');
  t.deepEqual((await verdictOf(injection, 'feature/x'))[0], 'BLOCKED');

  t.is((await send('PUT', 'rules', withModes({ modes, allow_weaker: true }))).status, 200);
  const [status, open] = await verdictOf(injection, 'feature/x');
  t.deepEqual([status, open], ['PASSED', ['rules-weaker']]);
  const state = await fetch(`${url}/dispatcher/status`);
  const { warnings } = JSON.parse(await state.text()).data.rules;
  t.regex(warnings[0], /allow_weaker/);
});
