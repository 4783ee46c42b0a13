import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import { request, startDaemonProcess, until } from '../daemon.ts';
import { startReceiver } from '../events/receiver.ts';
import { openDashboard, REASON } from '../interop/page.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';
import { createRepository, SECRET } from './gitea.ts';
import { buildGitea, type Gitea, startGitea } from './gitea-host.ts';

/** A file name that mentions a user, links, shows an image and opens a tag, as Markdown. */
const HOSTILE = 'src/@eve #1 [l](https:evil.example) ![i](https:evil.example) <b>.js';

/**
 * What engineers see of a blocked change in the pull request of a real Gitea, to which the service
 * has a token with no more rights than the page on webhooks asks for.
 */
export async function run({ progress }: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const undo: (() => unknown)[] = [];
  const rows: [step: string, seen: string, isRight: string][] = [];
  const see = (step: string, seen: string, isRight: boolean) => {
    progress(`${step}: ${seen}`);
    rows.push([step, seen, isRight ? 'yes' : 'NO']);
  };
  try {
    buildGitea(progress);
    const gitea = await startGitea();
    undo.push(gitea.stop);
    const service = gitea.addUser('cra', 'write:repository,read:user');
    const eve = gitea.addUser('eve', 'all');
    const dataDir = join(temporary.path, 'cra');
    mkdirSync(dataDir);
    const vcs = join(temporary.path, 'vcs.json');
    writeFileSync(vcs, JSON.stringify(settingsOf(gitea, service)), { mode: 0o600 });
    const teardown = { teardown: (step: () => unknown) => undo.push(step) };
    const receiver = await startReceiver(teardown);
    const events = join(temporary.path, 'events.json');
    const secrets = [`whsec_${Buffer.from(SECRET).toString('base64')}`];
    const wants = {
      id: 'ops',
      url: receiver.url,
      secrets,
      types: ['landed.*'],
      allow_private: true,
    };
    writeFileSync(events, JSON.stringify({ subscriptions: [wants] }), { mode: 0o600 });
    const daemon = await startDaemonProcess(teardown, dataDir, {
      SERVICE_VCS_CONFIG: vcs,
      SERVICE_EVENTS_CONFIG: events,
    });
    const { visit } = await openDashboard(teardown, daemon);
    const { page } = await visit(teardown);
    /** As a person does who opens the link of a review. */
    const override = async ({ body }: Review) => {
      const [link = ''] = /http:[^)\s]+#approve-RFC-[0-9A-F]+/.exec(body) ?? [];
      await page.goto(link);
      await page.fill('#reason', REASON);
      await page.fill('text=Type override vuln-01', 'override vuln-01');
      await page.click('button.main');
      await page.waitForSelector('text=recorded in the audit trail');
    };
    await reviewed(gitea, daemon.url, { eve, see, override });
    await until(() => receiver.received.length > 0);
    const told = receiver.received.map(({ body }) => JSON.parse(body) as { type: string });
    see(
      'events to a subscriber',
      told.map(({ type }) => type).join(', '),
      told.length === 1 && /landed\.blocked$/.test(told[0]?.type ?? ''),
    );
  } finally {
    for (const step of undo.reverse()) await step();
    temporary.remove();
  }
  return {
    title: 'Findings in the pull requests of a real Gitea',
    facts: ['Gitea 1.24.6 from its Go module; the token may write repositories and read its user'],
    tables: [{ columns: ['step', 'seen', 'as it should be'], rows }],
    notes: [],
    holds: rows.every(([, , isRight]) => isRight === 'yes'),
  };
}

function settingsOf({ url }: Gitea, token: string) {
  const host = { id: 'tea', provider: 'gitea', url, api_url: `${url}/api/v1`, token };
  const shown = { findings: 'lines', webhook_secrets: [SECRET] };
  return { hosts: [{ ...host, ...shown }], default_host: 'tea' };
}

interface People {
  /** Token of somebody who may not write the repository. */
  eve: string;
  see(step: string, seen: string, isRight: boolean): void;
  /** Overrides in the dashboard what a review is about. */
  override(review: Review): Promise<void>;
}

async function reviewed(gitea: Gitea, api: string, { eve, see, override }: People): Promise<void> {
  const { call } = gitea;
  const repo = await createRepository({ gitea, api }, 'shop');
  await call('PUT', `${repo.path}/collaborators/cra`, { permission: 'write' });
  await repo.write('main', 'a.txt', 'one\n');
  await repo.judged('main');
  await call('POST', `${repo.path}/branch_protections`, {
    rule_name: 'main',
    enable_push: true,
    enable_status_check: true,
    status_check_contexts: ['cra/gate'],
    block_admin_merge_override: true,
  });
  await repo.write('side', HOSTILE, HOLE, 'main');
  const blocked = await repo.judged('side');
  const asked = { head: 'side', base: 'main', title: 'side' };
  const { number } = await call<{ number: number }>('POST', `${repo.path}/pulls`, asked);
  const pull = `${repo.path}/pulls/${number}`;

  const ours = async () => {
    const all = await call<Review[]>('GET', `${pull}/reviews`);
    return all.filter(({ user }) => user.login === 'cra');
  };
  /** The one review of ours that is about that commit, once it is there. */
  const reviewOf = async (sha: string | null, verdict: string): Promise<Review> => {
    let found: Review | undefined;
    await until(async () => {
      const reviews = await ours();
      found = reviews.find(({ commit_id, body }) => commit_id === sha && body.includes(verdict));
      return found !== undefined && reviews.length === 1;
    });
    if (found === undefined) throw new Error('it was seen just now');
    return found;
  };
  const linesOf = (review: Review) => call<Line[]>('GET', `${pull}/reviews/${review.id}/comments`);

  const first = await reviewOf(blocked.commit_sha, 'BLOCKED');
  const lines = await linesOf(first);
  const [line] = lines;
  see(
    'pull request opened',
    `${blocked.overall_status}, review ${first.state}`,
    first.state === 'COMMENT',
  );
  see(
    'finding at its line',
    `${lines.length}, line ${line?.position}`,
    line?.position === 2 && line.path === HOSTILE,
  );
  const html = await rendered(
    gitea,
    `${line?.body}\n\n${first.body}`,
    repo.path.slice('repos/'.length),
  );
  const foreign = [...html.matchAll(/<(?:a|img|b)\b[^>]*>/g)].map(([tag]) => tag);
  const links = foreign.filter((tag) => !tag.startsWith(`<a href="${new URL('/cra', api)}`));
  see(
    'hostile file name',
    links.length === 0 ? 'nothing made of it' : links.join(' '),
    links.length === 0,
  );
  const told = await gitea.callAs<unknown[]>(eve, 'GET', 'notifications?all=true');
  see('mentions sent', String(told.length), told.length === 0);
  see(
    'status',
    await repo.state(blocked.commit_sha),
    (await repo.state(blocked.commit_sha)) === 'failure',
  );

  const refused = await merge(gitea, pull);
  see('merge while blocked', refused, refused.startsWith('405'));

  await repo.write('side', 'more.js', HOLE);
  const again = await repo.judged('side');
  const second = await reviewOf(again.commit_sha, 'BLOCKED');
  see('second push', `one review, ${(await linesOf(second)).length} lines`, second.id !== first.id);

  await override(second);
  const third = await reviewOf(again.commit_sha, 'OVERRIDDEN');
  see('override in the dashboard', `one review, ${third.state}`, third.state === 'COMMENT');
  await until(async () => (await repo.state(again.commit_sha)) === 'success');
  const merged = await merge(gitea, pull);
  see('merge after the override', merged, merged === 'merged');
  const main = await repo.judged('main');
  // It is a merge of two accepted heads, with nothing beyond them.
  see('main', main.overall_status, main.overall_status === 'PASSED');

  await forked(gitea, repo, { eve, see, override });
  await overwritten(gitea, api, { repo, see });
  await landed(gitea, api, repo, see);
}

type GiteaRepository = Awaited<ReturnType<typeof createRepository>>;

/** An administrator merges a blocked pull request with the right that protection leaves them. */
async function landed(
  gitea: Gitea,
  api: string,
  repo: GiteaRepository,
  see: (step: string, seen: string, isRight: boolean) => void,
): Promise<void> {
  const { call, user } = gitea;
  await repo.write('bad', 'bad.js', HOLE, 'main');
  const blocked = await repo.judged('bad');
  const asked = { head: 'bad', base: 'main', title: 'bad' };
  const { number } = await call<{ number: number }>('POST', `${repo.path}/pulls`, asked);
  const pull = `${repo.path}/pulls/${number}`;
  await until(async () => (await repo.state(blocked.commit_sha)) === 'failure');
  const rule = { block_admin_merge_override: false };
  await call('PATCH', `${repo.path}/branch_protections/main`, rule);
  const refused = await merge(gitea, pull);
  see('merge of an administrator', refused, refused.startsWith('405'));
  const forced = await merge(gitea, pull, { force_merge: true });
  see('forced merge of an administrator', forced, forced === 'merged');
  const main = await repo.judged('main');
  see('main after it', main.overall_status, main.overall_status === 'BLOCKED');
  const entries = async () => {
    const { body } = await request(`${api}/audit?kind=landed-blocked`);
    return body.data as { rfc_id: string; repo_name: string; details: Record<string, unknown> }[];
  };
  await until(async () => (await entries()).length > 0);
  const [entry, ...others] = await entries();
  const { commit_sha, pushed_by } = entry?.details ?? {};
  see(
    'landing in the audit trail',
    `${1 + others.length}, by ${pushed_by}`,
    others.length === 0 && commit_sha === main.commit_sha && pushed_by === user,
  );
  await until(async () => (await repo.state(main.commit_sha)) === 'failure');
  see('status of main', 'failure', true);
}

/** Somebody who may write the repository makes a red status green. */
async function overwritten(
  { call }: Gitea,
  api: string,
  { repo, see }: Pick<People, 'see'> & { repo: GiteaRepository },
): Promise<void> {
  await repo.write('forged', 'forged.js', HOLE, 'main');
  const { commit_sha: sha, rfc_id } = await repo.judged('forged');
  await until(async () => (await repo.state(sha)) === 'failure');
  const green = { context: 'cra/gate', state: 'success', description: 'all is well' };
  await call('POST', `${repo.path}/statuses/${sha}`, green);
  const entries = async () => {
    const { body } = await request(`${api}/audit?kind=status-overwritten`);
    return body.data as { rfc_id: string; details: Record<string, unknown> }[];
  };
  await until(async () => (await entries()).length > 0);
  await until(async () => (await repo.state(sha)) === 'failure');
  const [entry, ...others] = await entries();
  const { set_by, state } = entry?.details ?? {};
  const isRight = others.length === 0 && entry?.rfc_id === rfc_id && state === 'success';
  see('status that somebody overwrote', `failure again, recorded: ${state} by ${set_by}`, isRight);
}

/** A pull request of somebody who may not write the repository: only its event tells of it. */
async function forked(
  gitea: Gitea,
  repo: GiteaRepository,
  { eve, see, override }: People,
): Promise<void> {
  const { call, callAs } = gitea;
  const { path } = repo;
  await callAs(eve, 'POST', `${path}/forks`, {});
  const fork = `repos/eve/${path.split('/').at(-1)}`;
  const push = async (name: string, branch: object) => {
    const content = Buffer.from(HOLE).toString('base64');
    const file = { content, message: name, ...branch };
    const made = await callAs<{ commit: { sha: string } }>(
      eve,
      'POST',
      `${fork}/contents/${name}`,
      file,
    );
    return made.commit.sha;
  };
  const first = await push('run.js', { branch: 'main', new_branch: 'fix' });
  const asked = { head: 'eve:fix', base: 'main', title: 'fix' };
  const { number } = await callAs<{ number: number }>(eve, 'POST', `${path}/pulls`, asked);
  const pull = `${path}/pulls/${number}`;
  /** The one review of ours: an administrator sees it while it is made, too. */
  const reviewOf = async (sha: string, verdict: string): Promise<Review> => {
    let found: Review | undefined;
    await until(async () => {
      const reviews = await call<Review[]>('GET', `${pull}/reviews`);
      found = reviews.find(({ commit_id, body }) => commit_id === sha && body.includes(verdict));
      return found !== undefined && reviews.length === 1;
    });
    if (found === undefined) throw new Error('it was seen just now');
    return found;
  };
  const review = await reviewOf(first, 'BLOCKED');
  const [line] = await call<Line[]>('GET', `${pull}/reviews/${review.id}/comments`);
  const place = `${line?.path}:${line?.position}`;
  see(
    'pull request of a fork',
    `BLOCKED by ${review.user.login}, ${place}`,
    review.user.login === 'cra' && place === 'run.js:2',
  );
  const state = await repo.state(first);
  see('status at the head of the fork', state, state === 'failure');
  const refused = await merge(gitea, pull);
  see('merge of the fork', refused, refused.startsWith('405'));

  const second = await push('second.js', { branch: 'fix' });
  const edited = await reviewOf(second, 'BLOCKED');
  const lines = await call<Line[]>('GET', `${pull}/reviews/${edited.id}/comments`);
  see('second push to the fork', `one review, ${lines.length} lines`, lines.length === 2);
  await override(edited);
  await reviewOf(second, 'OVERRIDDEN');
  await until(async () => (await repo.state(second)) === 'success');
  const merged = await merge(gitea, pull);
  see('merge of the fork after the override', merged, merged === 'merged');
  const main = await repo.judged('main');
  const { overall_status: verdict, carried_from } = main;
  see('main', `${verdict}, from ${carried_from.length} decision`, verdict === 'OVERRIDDEN');
}

interface Review {
  id: number;
  user: { login: string };
  state: string;
  body: string;
  commit_id: string;
}

interface Line {
  path: string;
  position: number;
  body: string;
}

/** What Gitea makes of a comment in that repository. */
async function rendered({ url, token }: Gitea, text: string, context: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/markdown`, {
    method: 'POST',
    headers: { Authorization: `token ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ Text: text, Mode: 'comment', Context: context }),
  });
  if (!answer.ok) throw new Error(`POST markdown: ${answer.status}`);
  return await answer.text();
}

async function merge({ call }: Gitea, pull: string, more: object = {}): Promise<string> {
  for (;;) {
    const outcome = await call('POST', `${pull}/merge`, { Do: 'merge', ...more }).then(
      () => 'merged',
      ({ message }: Error) => message.slice(message.indexOf(': ') + 2, message.indexOf(',')),
    );
    // Gitea looks for conflicts in the background, and refuses a merge until it has.
    if (!/try again later/i.test(outcome)) return outcome;
  }
}
