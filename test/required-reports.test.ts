import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SHOWN_RFC } from '../src/model/next-steps.ts';
import { COMMIT_REPORT } from '../src/model/reports.ts';
import { createValidator } from '../src/model/validate.ts';
import { runCommand } from './cli/fixtures/command.ts';
import {
  analyze,
  change,
  type DaemonProcess,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from './daemon.ts';
import { entriesOf, send } from './decision-calls.ts';

const commit = (digit: string) => digit.repeat(40);

/** A report of a tool with one result of a level, on the first line of `a.txt`. */
function report(name: string, level: string | null, revisionId: string | null = null): Uint8Array {
  const region = { startLine: 1 };
  const physicalLocation = { artifactLocation: { uri: 'a.txt' }, region };
  const result = {
    ruleId: 'a',
    level,
    message: { text: 'bad' },
    locations: [{ physicalLocation }],
  };
  const versionControlProvenance = revisionId === null ? [] : [{ revisionId }];
  const results = level === null ? [] : [result];
  const runs = [{ tool: { driver: { name } }, results, versionControlProvenance }];
  return new Uint8Array(Buffer.from(JSON.stringify({ version: '2.1.0', runs })));
}

function rules(within: number): string {
  const required_reports = [
    { tool: 'one', within },
    { tool: 'absent', component: 'web', within },
  ];
  const components = [
    { id: 'web', paths: ['web/**'] },
    { id: 'rest', paths: ['*.txt'] },
  ];
  return JSON.stringify({
    version: 1,
    components,
    pipeline: { required_reports },
    allow_empty: true,
  });
}

test.serial('a DRAFT waits for its reports, through a kill, until they are overdue', async (t) => {
  const dataDir = temporaryDir(t);
  const SERVICE_RULES_PATH = join(dataDir, 'rules.json');
  writeFileSync(SERVICE_RULES_PATH, rules(600));
  let daemon = await startDaemonProcess(t, dataDir, { SERVICE_RULES_PATH });
  const get = async (path: string) => (await request(`${daemon.url}/${path}`)).body.data;
  const submit = async (by: DaemonProcess, sha: string) => {
    const repo = { repo_name: 'acme/shop', commitSha: sha };
    const { body } = await analyze(by.url, { ...change(newFile('a.txt', 'x\n')), ...repo });
    return body.data;
  };
  const post = (sha: string, body: Uint8Array, repo = 'acme/shop') =>
    request(`${daemon.url}/reports?repo=${repo}&commit=${sha}`, { method: 'POST', body });

  const waiting = await submit(daemon, commit('a'));
  t.is(waiting.overall_status, 'DRAFT', JSON.stringify(waiting));
  t.like(waiting.required_reports, [{ tool: 'one', component: null, state: 'awaited' }]);
  t.is(waiting.required_reports.length, 1, 'the change does not touch the component');
  t.is(waiting.gates.risk.status, 'pass');
  const { reason, allowed } = await get('prod-check/acme/shop');
  t.false(allowed);
  t.is(reason, 'the newest change waits for the report of one');

  // Another tool, another commit, another repository: it waits on.
  const other = await post(commit('a'), report('Two', 'note'));
  t.is(
    other.status,
    200,
    JSON.stringify(daemon.log.filter(({ level }) => Number(level) >= 40 || level === 'error')),
  );
  createValidator(COMMIT_REPORT, 'answer')(other.body.data);
  t.like(other.body.data, {
    tools: [{ tool: 'two', results: 1 }],
    rfcs: [{ rfc_id: waiting.rfc_id, overall_status: 'DRAFT', reason: null }],
  });
  t.deepEqual((await post(commit('a'), report('One', null), 'acme/other')).body.data.rfcs, []);
  const foreign = await post(commit('a'), report('One', null, commit('f')));
  t.is(foreign.status, 400);
  t.regex(foreign.body.error, /is about commit f{40}, not about a{40}/);

  // A verdict counts what comes while it is written.
  for (const digit of ['d', 'e', 'f']) {
    const raced = await submit(daemon, commit(digit));
    const sent = [report('One', 'note'), report('Two', 'error')];
    const answers = await Promise.all(sent.map((body) => post(commit(digit), body)));
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    await until(async () => (await get(`rfc/${raced.rfc_id}`)).overall_status === 'BLOCKED');
  }

  // The command sends the report that the verdict waits for, and asks until it counts.
  const sarif = join(dataDir, 'one.sarif');
  writeFileSync(sarif, report('One', 'note'));
  const server = daemon.url.replace(/api\/cra$/, '');
  const args = ['analyze', '-', '--server', server, '--sarif-in', sarif, '--json'];
  const command = await runCommand(args, { stdin: newFile('a.txt', 'x\n') });
  t.is(command.code, 0, command.stderr);
  t.is(JSON.parse(command.stdout).required_reports[0].state, 'came');

  await daemon.kill();
  writeFileSync(SERVICE_RULES_PATH, rules(1));
  daemon = await startDaemonProcess(t, dataDir, { SERVICE_RULES_PATH });
  t.is((await get(`rfc/${waiting.rfc_id}`)).overall_status, 'DRAFT');
  t.is((await post(commit('a'), report('One', 'note', commit('a')))).status, 200);
  const passed = await get(`rfc/${waiting.rfc_id}?wait=30`);
  createValidator(SHOWN_RFC, 'rfc')(passed);
  t.is(passed.overall_status, 'PASSED');
  t.is(passed.required_reports[0].state, 'came');
  const ids = passed.gates.risk.findings.map(({ id }: { id: string }) => id).sort();
  t.deepEqual(
    ids.filter((id: string) => id.startsWith('ext-')),
    ['ext-one-a', 'ext-two-a'],
  );

  // Before the RFC exists, and doubled; then the verdict has it once.
  for (let sent = 0; sent < 2; sent += 1) {
    t.deepEqual((await post(commit('b'), report('One', 'error'))).body.data.rfcs, []);
  }
  const early = await submit(daemon, commit('b'));
  const judged = await get(`rfc/${early.rfc_id}?wait=30`);
  t.is(judged.overall_status, 'BLOCKED');
  const judgedIds = judged.gates.risk.findings.map(({ id }: { id: string }) => id);
  t.deepEqual(
    judgedIds.filter((id: string) => id.startsWith('ext-')),
    ['ext-one-a'],
  );

  const late = await submit(daemon, commit('c'));
  t.is(late.overall_status, 'DRAFT');
  const missing = await get(`rfc/${late.rfc_id}?wait=30`);
  t.is(missing.overall_status, 'BLOCKED');
  t.is(missing.required_reports[0].state, 'missing');
  t.like(missing.gates.risk.findings[0], { id: 'report-missing', severity: 'high' });
  // It only adds: what comes late makes nothing milder.
  const after = await post(commit('c'), report('One', null));
  t.like(after.body.data.rfcs, [{ overall_status: 'BLOCKED', reason: null }]);

  // After a decision it is kept for the commit, with its entry.
  t.is((await send(daemon, `reject/${late.rfc_id}`, { actor: 'ann', reason: 'no' })).status, 200);
  const own = { method: 'POST', body: report('Two', null) };
  const refused = await request(`${daemon.url}/rfc/${late.rfc_id}/reports`, own);
  t.is(refused.status, 409, JSON.stringify(refused.body));

  t.is(await daemon.stop(), 0);
  const entries = (await entriesOf(dataDir)).map((text) => JSON.parse(text));
  const raced = new Set(['d', 'e', 'f']);
  const kept = entries.filter(({ kind, details }) => {
    return (
      kind === 'report' && !raced.has(details.commit_sha?.[0]) && details.commit_sha !== undefined
    );
  });
  t.deepEqual(
    kept.map(({ rfc_id, details }) => [rfc_id, details.tools, details.commit_sha?.[0] ?? null]),
    [
      [null, ['two'], 'a'],
      [null, ['one'], 'a'],
      [null, ['one'], 'a'],
      [null, ['one'], 'b'],
      [null, ['one'], 'c'],
      [late.rfc_id, ['two'], 'c'],
    ],
  );
});
