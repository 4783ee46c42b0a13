import test from 'ava';
import type { NextStep } from '../../src/model/next-steps.ts';
import { analyze, daemonForAll, request } from '../daemon.ts';
import { runCommand } from './fixtures/command.ts';
import { createRepository } from './fixtures/repository.ts';

const WORKFLOW = '.github/workflows/build.yml';
const HEAD = 'on: issues\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n';
const STEP = `      - run: echo "\${{ github.event.issue.title }}"\n`;
const RULE = 'risk-workflow-script-injection';

interface Answer {
  rfc_id: string;
  overall_status: string;
  next_steps?: NextStep[];
}

function pasteOf({ next_steps: steps = [] }: Answer, way: NextStep['way']): string {
  return steps.find((step) => step.way === way)?.paste ?? '';
}

function waysOf({ next_steps: steps = [] }: Answer): string[] {
  return steps.map(({ way }) => way);
}

test('a user on a laptop is blocked, does what the answer says, and passes', async (t) => {
  const repo = createRepository(t);
  const first = repo.commit('first', { 'README.md': 'read me\n', [WORKFLOW]: HEAD });
  repo.commit('second', { [WORKFLOW]: `${HEAD}${STEP}` });
  const args = ['analyze', '--repo', repo.path, '--range'];
  const shown = await runCommand([...args, `${first}..HEAD`]);
  t.is(shown.code, 1, shown.stderr);
  t.regex(shown.stdout, /\nWhat you can do\n {2}- Mend the finding that blocks/);
  t.true(shown.stdout.includes(`\n      # cra-ignore ${RULE}: REASON\n`), shown.stdout);
  t.regex(shown.stdout, /submit it to the service \(cra analyze --server URL\)/i);
  const { stdout } = await runCommand([...args, `${first}..HEAD`, '--json']);
  const answer = JSON.parse(stdout) as Answer;
  t.deepEqual(waysOf(answer), ['fix', 'marker', 'rules', 'submit']);

  // As the answer says: the marker by itself, then the change on top of it.
  const marker = `${pasteOf(answer, 'marker')}\n`;
  repo.git('reset', '--quiet', '--hard', first);
  const second = repo.commit('marker', { [WORKFLOW]: `${HEAD}${marker}` });
  const alone = await runCommand([...args, `${first}..HEAD`, '--json']);
  t.is(alone.code, 0, alone.stderr);
  repo.commit('third', { [WORKFLOW]: `${HEAD}${marker}${STEP}` });
  const after = await runCommand([...args, `${second}..HEAD`, '--json']);
  t.is(after.code, 0, after.stdout);
  // A marker beside the change is not enough, and its finding does not say to write it.
  const both = await runCommand([...args, `${first}..HEAD`, '--json']);
  t.is(both.code, 1);
  const invalid = JSON.parse(both.stdout).gates.risk.findings.find(
    ({ id }: { id: string }) => id === 'marker-invalid',
  );
  t.regex(invalid.fix, /Leave it as it is, and commit it by itself first/);
});

const shared = daemonForAll(test, { SERVICE_BASE_URL: 'https://cra.example' });

test('a user in CI gets the ways out of the service, with the address of the dashboard', async (t) => {
  const daemon = shared();
  const repo = createRepository(t);
  const first = repo.commit('first', { [WORKFLOW]: HEAD });
  repo.commit('second', { [WORKFLOW]: `${HEAD}${STEP}` });
  const server = new URL(daemon.url).origin;
  const args = ['analyze', '--repo', repo.path, '--server', server, '--range'];
  const { code, stdout } = await runCommand([...args, `${first}..HEAD`, '--json']);
  t.is(code, 1);
  const answer = JSON.parse(stdout) as Answer;
  t.deepEqual(waysOf(answer), ['fix', 'marker', 'rules', 'accept', 'override']);
  const url = `https://cra.example/cra#approve-${answer.rfc_id}`;
  t.is(answer.next_steps?.at(-1)?.url, url);
  const shown = await runCommand([...args, `${first}..HEAD`]);
  t.regex(shown.stdout, /What you can do[\s\S]*https:\/\/cra\.example\/cra#approve-RFC-/);

  // Readers of the RFC see the same; a decision ends it.
  const read = async () => (await request(`${daemon.url}/rfc/${answer.rfc_id}`)).body.data;
  t.deepEqual((await read()).next_steps, answer.next_steps);
  const decided = await request(`${daemon.url}/rfc/${answer.rfc_id}/override`, {
    method: 'POST',
    body: JSON.stringify({ actor: 'ann', reason: 'looked at it' }),
  });
  t.is(decided.status, 200);
  t.false('next_steps' in (await read()));
});

test('a user who posts a diff passes with the marker in its context', async (t) => {
  const daemon = shared();
  const file = (marker: string) => {
    const before = `${HEAD}${marker}`;
    const lines = before.trimEnd().split('\n');
    const range = `-1,${lines.length} +1,${lines.length + 1}`;
    const context = lines.map((line) => ` ${line}\n`).join('');
    const names = `--- a/${WORKFLOW}\n+++ b/${WORKFLOW}\n`;
    const diff = `diff --git a/${WORKFLOW} b/${WORKFLOW}\n${names}@@ ${range} @@\n${context}+${STEP}`;
    return { repo_name: 'acme/shop', branch: 'main', commit_message: 'm', diff };
  };
  const { body } = await analyze(daemon.url, file(''));
  t.is(body.data.overall_status, 'BLOCKED');
  const marker = pasteOf(body.data, 'marker');
  const again = await analyze(daemon.url, file(`${marker}\n`));
  t.is(again.body.data.overall_status, 'PASSED');
  t.false('next_steps' in again.body.data);
});
