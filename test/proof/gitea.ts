import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { fake } from '../../src/rules/fake.ts';
import { request, startDaemonProcess, until } from '../daemon.ts';
import { leak } from '../pushes/daemon/bad-code.ts';
import { buildGitea, type Gitea, startGitea } from './gitea-host.ts';

/** The ways in which Gitea merges a pull request (`Do` of its API). */
const STYLES = ['merge', 'squash', 'rebase', 'rebase-merge'] as const;
type Style = (typeof STYLES)[number];

export const SECRET = fake('gitea-', 40);

/** A daemon and the Gitea whose pushes it judges. */
export interface Site {
  gitea: Gitea;
  api: string;
}

/**
 * A decision on a branch, carried through each way in which a real Gitea merges it; and the same
 * merge with one line more than was decided, which stays BLOCKED.
 */
export async function run({ progress }: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const undo: (() => unknown)[] = [];
  const rows: (string | number)[][] = [];
  const faults: string[] = [];
  try {
    buildGitea(progress);
    const gitea = await startGitea();
    undo.push(gitea.stop);
    const dataDir = join(temporary.path, 'cra');
    mkdirSync(dataDir);
    const vcs = join(temporary.path, 'vcs.json');
    writeFileSync(vcs, JSON.stringify(settingsOf(gitea)), { mode: 0o600 });
    const teardown = { teardown: (step: () => unknown) => undo.push(step) };
    const daemon = await startDaemonProcess(teardown, dataDir, { SERVICE_VCS_CONFIG: vcs });
    const site = { gitea, api: daemon.url };
    for (const style of STYLES) {
      for (const more of [false, true]) {
        const name = `${style}${more ? '-more' : ''}`;
        progress(name);
        const outcome = await mergeBy(site, name, style, more);
        rows.push([style, more ? 'one secret more' : 'as decided', ...outcome.cells]);
        faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`));
      }
    }
  } finally {
    for (const step of undo.reverse()) await step();
    temporary.remove();
  }
  return {
    title: 'Decisions carried through the merges of a real Gitea',
    facts: ['Gitea 1.24.6 from its Go module, webhooks signed, statuses posted to it'],
    tables: [
      {
        columns: ['merge style', 'merged', 'verdict of main', 'carried', 'status', 'next branch'],
        rows,
      },
    ],
    notes: faults.map((fault) => `FAULT: ${fault}`),
    holds: faults.length === 0,
  };
}

function settingsOf({ url, token, user }: Gitea) {
  const host = { id: 'tea', provider: 'gitea', url, api_url: `${url}/api/v1`, token };
  return { hosts: [{ ...host, username: user, webhook_secrets: [SECRET] }], default_host: 'tea' };
}

/** Merges a branch that was overridden, and looks at what becomes of main. */
async function mergeBy(site: Site, name: string, style: Style, more: boolean) {
  const repo = await createRepository(site, name);
  await repo.write('main', 'a.txt', 'one\n');
  await repo.judged('main');
  await repo.write('side', 'env.sh', leak(name), 'main');
  await repo.write('side', 'b.txt', 'two\n');
  const side = await repo.judged('side');
  await repo.override(side.rfc_id);
  if (more) await repo.write('side', 'more.sh', leak(`${name} more`));
  if (more) await repo.judged('side');
  await repo.write('main', 'c.txt', 'three\n');
  await repo.judged('main');
  await repo.merge('side', style);
  const main = await repo.judged('main');
  const wanted = more ? 'BLOCKED' : 'OVERRIDDEN';
  const state = more ? 'failure' : 'success';
  await until(async () => (await repo.state(main.commit_sha)) !== 'pending');
  const shown = await repo.state(main.commit_sha);
  await repo.write('next', 'd.txt', 'four\n', 'main');
  const next = await repo.judged('next');
  const isCarried = main.carried_from.includes(side.rfc_id);
  const faults = [
    side.overall_status === 'BLOCKED' ? null : `the branch is ${side.overall_status}`,
    main.overall_status === wanted ? null : `main is ${main.overall_status}, not ${wanted}`,
    isCarried === !more ? null : `carried_from is [${main.carried_from}]`,
    shown === state ? null : `the status of main is ${shown}, not ${state}`,
    (next.overall_status === 'PASSED') === !more ? null : `the next is ${next.overall_status}`,
    (await repo.isAllowed()) === !more ? null : 'prod-check says otherwise',
  ].filter((fault) => fault !== null);
  const cells = [main.overall_status, isCarried ? 'yes' : 'no', shown, next.overall_status];
  return { cells, faults };
}

/** A repository of Gitea with a first commit, whose pushes the daemon is told of. */
export async function createRepository({ gitea, api }: Site, name: string) {
  const { call, user } = gitea;
  const path = `repos/${user}/${name}`;
  await call('POST', 'user/repos', { name, auto_init: true, default_branch: 'main' });
  await call('POST', `${path}/hooks`, {
    type: 'gitea',
    active: true,
    events: ['push', 'pull_request', 'pull_request_sync', 'status'],
    branch_filter: '*',
    config: { url: `${api}/webhook`, content_type: 'json', secret: SECRET },
  });
  const headOf = async (branch: string) => {
    const { commit } = await call<{ commit: { id: string } }>('GET', `${path}/branches/${branch}`);
    return commit.id;
  };
  return {
    path,
    headOf,
    /** Commits a file; `from`: the branch is new and begins there. */
    async write(branch: string, file: string, text: string, from?: string): Promise<void> {
      const content = Buffer.from(text).toString('base64');
      const name = encodeURIComponent(file);
      const where = from === undefined ? { branch } : { branch: from, new_branch: branch };
      await call('POST', `${path}/contents/${name}`, { content, message: file, ...where });
    },
    /** The RFC of the head of a branch, once it has a verdict. */
    async judged(branch: string): Promise<RfcRecord> {
      const sha = await headOf(branch);
      let found: RfcRecord | null = null;
      await until(async () => {
        const { status, body } = await request(`${api}/webhook-status/${user}/${name}?wait=30`);
        if (status !== 200) return false;
        const record = body.data as RfcRecord;
        const isIt = record.commit_sha === sha && record.overall_status !== 'DRAFT';
        found = isIt ? record : null;
        return isIt;
      });
      if (found === null) throw new Error('it was seen just now');
      return found;
    },
    async override(rfcId: string): Promise<void> {
      const body = JSON.stringify({ actor: 'ann', reason: 'the example of the vendor' });
      const answer = await request(`${api}/rfc/${rfcId}/override`, { method: 'POST', body });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    async merge(branch: string, style: Style): Promise<void> {
      const asked = { head: branch, base: 'main', title: branch };
      const { number } = await call<{ number: number }>('POST', `${path}/pulls`, asked);
      // Gitea looks for conflicts in the background, and refuses a merge until it has.
      await until(async () => {
        const merged = call('POST', `${path}/pulls/${number}/merge`, { Do: style });
        return merged.then(() => true, retryOn(/try again later|405/i));
      });
    },
    async state(sha: string | null): Promise<string> {
      const { state } = await call<{ state: string }>('GET', `${path}/commits/${sha}/status`);
      return state || 'pending';
    },
    async isAllowed(): Promise<boolean> {
      const { body } = await request(`${api}/prod-check/${user}/${name}`);
      return body.data.allowed as boolean;
    },
  };
}

function retryOn(refusal: RegExp): (thrown: Error) => boolean {
  return (thrown) => {
    if (refusal.test(thrown.message)) return false;
    throw thrown;
  };
}
