import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import { request, startDaemonProcess, until } from '../daemon.ts';
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
    const daemon = await startDaemonProcess(teardown, dataDir, { SERVICE_VCS_CONFIG: vcs });
    await reviewed(gitea, daemon.url, eve, see);
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

async function reviewed(
  gitea: Gitea,
  api: string,
  eve: string,
  see: (step: string, seen: string, isRight: boolean) => void,
): Promise<void> {
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
  const links = foreign.filter((tag) => !tag.includes('#approve-RFC-'));
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

  await repo.override(again.rfc_id);
  const third = await reviewOf(again.commit_sha, 'OVERRIDDEN');
  see('override', `one review, ${third.state}`, third.state === 'COMMENT');
  await until(async () => (await repo.state(again.commit_sha)) === 'success');
  const merged = await merge(gitea, pull);
  see('merge after the override', merged, merged === 'merged');
  const main = await repo.judged('main');
  // It is a merge of two accepted heads, with nothing beyond them.
  see('main', main.overall_status, main.overall_status === 'PASSED');

  await forked(gitea, repo.path, eve, see);
  await landed(gitea, api, repo, see);
}

/** An administrator merges a blocked pull request with the right that protection leaves them. */
async function landed(
  gitea: Gitea,
  api: string,
  repo: Awaited<ReturnType<typeof createRepository>>,
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

/** A pull request of somebody who may not write the repository: only its event tells of it. */
async function forked(
  gitea: Gitea,
  path: string,
  eve: string,
  see: (step: string, seen: string, isRight: boolean) => void,
): Promise<void> {
  const { call, callAs } = gitea;
  await callAs(eve, 'POST', `${path}/forks`, {});
  const fork = `repos/eve/${path.split('/').at(-1)}`;
  const content = Buffer.from(HOLE).toString('base64');
  const file = { content, message: 'run', branch: 'main', new_branch: 'fix' };
  await callAs(eve, 'POST', `${fork}/contents/run.js`, file);
  const asked = { head: 'eve:fix', base: 'main', title: 'fix' };
  const made = await callAs<{ number: number; head: { sha: string } }>(
    eve,
    'POST',
    `${path}/pulls`,
    asked,
  );
  const { number, head } = made;
  let review: Review | undefined;
  await until(async () => {
    const reviews = await call<Review[]>('GET', `${path}/pulls/${number}/reviews`);
    // An administrator sees it while it is made, too.
    review = reviews.find(({ body }) => body !== '');
    return review !== undefined;
  });
  const verdict = review?.body.includes('BLOCKED') ? 'BLOCKED' : (review?.body ?? '');
  see('pull request of a fork', `${verdict} by ${review?.user.login}`, verdict === 'BLOCKED');
  const { state } = await call<{ state: string }>('GET', `${path}/commits/${head.sha}/status`);
  see('status at the head of the fork', state, state === 'failure');
  const refused = await merge(gitea, `${path}/pulls/${number}`);
  see('merge of the fork', refused, refused.startsWith('405'));
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
