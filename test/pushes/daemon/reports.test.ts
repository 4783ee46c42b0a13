import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { PROGRAM, request, type Teardown, temporaryDir, until } from '../../daemon.ts';
import { openHouse } from './house.ts';
import { PushedRepository } from './pushed-repository.ts';

test('a push waits for its reports, through a kill, and its statuses say so', async (t) => {
  const path = join(temporaryDir(t), 'rules.json');
  const required_reports = [
    { tool: 'one', within: 900 },
    { tool: 'two', within: 900 },
  ];
  const rules = { version: 1, extends: 'default', pipeline: { required_reports } };
  writeFileSync(path, JSON.stringify(rules));
  const env = { SERVICE_RULES_PATH: path };
  const house = await openHouse(t, { env });
  const repo = new PushedRepository(house, 'acme/shop');
  repo.commit({ 'README.md': 'read me\n' });
  const report = (name: string, level: string) => {
    const region = { startLine: 1 };
    const physicalLocation = { artifactLocation: { uri: 'a.txt' }, region };
    const locations = [{ physicalLocation }];
    const results = [{ ruleId: 'a', level, message: { text: 'bad' }, locations }];
    return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name } }, results }] });
  };
  const send = async (sha: string, name: string, level: string) => {
    const url = `${house.daemon.url}/reports?repo=acme/shop&commit=${sha}`;
    const answer = await request(url, { method: 'POST', body: report(name, level) });
    t.is(answer.status, 200, JSON.stringify(answer.body));
  };
  const read = async (id: string) => (await request(`${house.daemon.url}/rfc/${id}`)).body.data;
  const saying = (id: string, what: string) =>
    until(async () => (await read(id)).push.waiting_for === what);
  const described = (sha: string) =>
    house.statuses.hub.taken.filter((one) => one.sha === sha).map(({ description }) => description);

  const push = await repo.push({ 'a.txt': 'one\n' });
  await saying(push.rfcId, 'reports of one, two');
  await until(() => described(push.sha).includes('waits for reports of one, two'));
  await send(push.sha, 'One', 'note');
  await saying(push.rfcId, 'the report of two');
  await house.daemon.kill();
  await house.start({ env });
  await saying(push.rfcId, 'the report of two');
  t.false(await repo.isAllowed());
  await send(push.sha, 'Two', 'note');
  const passed = await repo.verdict(push);
  t.is(passed.overall_status, 'PASSED');
  t.is(passed.push?.waiting_for, null);
  const ids = passed.gates.risk.findings.map(({ id }) => id);
  t.deepEqual(ids.filter((id) => id.startsWith('ext-')).sort(), ['ext-one-a', 'ext-two-a']);
  await repo.shows(push.sha, 'success');

  await runRecipe(t, house.daemon.url, report('Three', 'warning'));
  const after = (await read(push.rfcId)).gates.risk.findings.map(({ id }: { id: string }) => id);
  t.true(after.includes('ext-three-a'), 'by the recipe of the page');

  const bad = await repo.push({ 'a.txt': 'two\n' });
  await send(bad.sha, 'One', 'error');
  await send(bad.sha, 'Two', 'note');
  t.is((await repo.verdict(bad)).overall_status, 'BLOCKED');
  await repo.shows(bad.sha, 'failure');
});

/** The commands of docs/how-to/ci.md that send a report for the RFC that a webhook made. */
async function runRecipe(t: Teardown, url: string, sarif: string): Promise<void> {
  const page = readFileSync('docs/how-to/ci.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(([, block = '']) => block);
  const script = blocks.find((block) => block.includes('--rfc')) ?? 'false';
  const cwd = temporaryDir(t);
  writeFileSync(join(cwd, 'bandit.sarif'), sarif);
  const program = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  writeFileSync(join(cwd, 'cra'), program, { mode: 0o755 });
  const CRA_URL = url.replace(/\/api\/cra$/, '');
  const env = { ...process.env, CRA_URL, CRA_API_TOKEN: 'nobody-asks-for-it' };
  const PATH = `${cwd}:${process.env['PATH']}`;
  await promisify(execFile)('sh', ['-ec', script], { cwd, env: { ...env, PATH } });
}
