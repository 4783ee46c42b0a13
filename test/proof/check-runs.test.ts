import { join } from 'node:path';
import test from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { request, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { APP_ID, startAppHost, writeAppSettings } from '../hosts/app-host.ts';
import { openRepository } from '../hosts/git-repository.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';
import { hookOf, pullHook } from '../pushes/daemon/hooks.ts';

const SECRET = fake('hub-', 40);
const REPO = 'acme/shop';

test('a daemon with a GitHub App: a fork, its check run, and the run of another App', async (t) => {
  const host = await startAppHost(t);
  host.now = Date.now();
  const root = temporaryDir(t);
  const hosted = openRepository(join(root, `${REPO}.git`));
  const base = hosted.commit([{ name: 'README.md', data: 'read me\n' }]);
  const sha = hosted.commit([{ name: 'run.js', data: HOLE }], {
    ref: 'refs/pull/7/head',
    from: base,
  });
  const vcs = writeAppSettings(temporaryDir(t), { root, host, secret: SECRET });
  const daemon = await startDaemonProcess(t, temporaryDir(t), { SERVICE_VCS_CONFIG: vcs });
  const deliver = async ({ headers, body }: ReturnType<typeof hookOf>) => {
    const init = { method: 'POST', headers, body: new Uint8Array(body) };
    const answer = await request(`${daemon.url}/webhook`, init);
    t.is(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data as { rfc_id: string };
  };
  const pulled = { repo: REPO, repoId: 1, number: 7, sha };
  const { rfc_id } = await deliver(pullHook('github', pulled, { secret: SECRET }));
  const ours = () => host.runs.filter(({ appId }) => appId === Number(APP_ID));
  await until(() => ours().some(({ conclusion }) => conclusion === 'failure'));
  const [run] = ours();
  t.is(ours().length, 1);
  t.like(run, { head_sha: sha, name: 'cra/gate', buttons: ['look_again'] });
  t.like(run?.annotations[0], { path: 'run.js', start_line: 2, annotation_level: 'failure' });
  t.regex(run?.summary ?? '', /BLOCKED/);

  // The newest run under a name counts where the rule names no App.
  const theirs = { id: 2, appId: 1, conclusion: 'success', title: 'all is well', annotations: [] };
  if (run !== undefined) host.runs.push({ ...run, ...theirs });
  const check_run = {
    name: 'cra/gate',
    head_sha: sha,
    conclusion: 'success',
    output: { title: 'all is well' },
    app: { id: 1, client_id: 'Iv2' },
  };
  const repository = { id: 1, full_name: REPO, html_url: `https://git.example.com/${REPO}` };
  const payload = { action: 'completed', check_run, repository, sender: { login: 'other[bot]' } };
  await deliver(hookOf('github', payload, { secret: SECRET, event: 'check_run' }));
  await until(() => host.runs.at(-1)?.appId === Number(APP_ID));
  await until(() => host.runs.at(-1)?.conclusion === 'failure');
  const { body } = await request(`${daemon.url}/audit?kind=status-overwritten`);
  t.like(body.data[0], { rfc_id, details: { commit_sha: sha, set_by: 'other[bot]', count: 1 } });
  t.is(body.data.length, 1);
});
