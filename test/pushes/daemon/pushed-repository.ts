import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RfcRecord } from '../../../src/model/records.ts';
import { request, until } from '../../daemon.ts';
import type { Blob } from '../../diff/repository.ts';
import type { CommitOptions, HostedRepository } from '../../hosts/git-repository.ts';
import { runGit } from '../../run-git.ts';
import {
  type Hook,
  type HookKind,
  type HookOptions,
  hookOf,
  type Pulled,
  type Pushed,
  pullHook,
  pushHook,
} from './hooks.ts';
import { type HostId, type PushHouse, SECRETS } from './house.ts';

export const MAIN = 'refs/heads/main';

const VERDICTS: ReadonlySet<string> = new Set(['PASSED', 'BLOCKED']);

/** What came of a push that was delivered. */
export interface Delivered {
  rfcId: string;
  outcome: string;
  before: string | null;
  sha: string;
}

/** By the first name of a repository: opening it again gives the same one. */
const ids = new Map<string, number>();

/** A repository of a house, and how its host tells of pushes to it. */
export class PushedRepository {
  /** Its host may rename it; the id stays. */
  name: string;
  readonly id: number;
  readonly host: HostId;
  readonly hosted: HostedRepository;
  private readonly house: PushHouse;
  private readonly kind: HookKind;

  constructor(house: PushHouse, name: string, host: HostId = 'hub', kind?: HookKind) {
    this.house = house;
    this.name = name;
    this.id = ids.get(name) ?? ids.size + 1;
    ids.set(name, this.id);
    this.host = host;
    this.kind = kind ?? ({ hub: 'github', tea: 'gitea', lab: 'gitlab' } as const)[host];
    this.hosted = house.git.repository(name);
  }

  git(...args: string[]): string {
    return this.hosted
      .git(...args)
      .toString()
      .trim();
  }

  /**
   * Runs git in a work tree at a commit, as a host does to merge; answers the commit that it ends
   * at. Who commits is another person than who wrote.
   */
  workTree(at: string, ...commands: readonly string[][]): string {
    const dir = mkdtempSync(join(tmpdir(), 'cra-merge-'));
    const host = { GIT_COMMITTER_NAME: 'Host', GIT_COMMITTER_EMAIL: 'noreply@host.example' };
    const author = { GIT_AUTHOR_NAME: 'Host', GIT_AUTHOR_EMAIL: 'noreply@host.example' };
    const env = { ...process.env, ...host, ...author, GIT_CONFIG_GLOBAL: '/dev/null' };
    const run = (args: readonly string[]) =>
      runGit(['-C', dir, ...args], { env })
        .toString()
        .trim();
    try {
      this.git('worktree', 'add', '--quiet', '--detach', '--force', dir, at);
      for (const command of commands) run(command);
      return run(['rev-parse', 'HEAD']);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }

  /** Makes a commit on a ref, of which nobody is told. */
  commit(files: Readonly<Record<string, Blob['data']>>, options?: CommitOptions): string {
    const blobs = Object.entries(files).map(([name, data]) => ({ name, data }));
    return this.hosted.commit(blobs, options);
  }

  /** Where a ref stands; null: there is none. */
  head(ref: string): string | null {
    return this.hosted.tip(ref);
  }

  /** The webhook of a push. */
  hook(pushed: Omit<Pushed, 'repo'>, options: Partial<HookOptions> = {}) {
    const secret = SECRETS[this.host];
    return pushHook(
      this.kind,
      { repo: this.name, repoId: this.id, ...pushed },
      { secret, ...options },
    );
  }

  /** Tells of a push: 200 with its RFC. */
  async tell(
    pushed: Omit<Pushed, 'repo'>,
    options: Partial<HookOptions> = {},
    daemon = this.house.daemon,
  ): Promise<Delivered> {
    const answer = await this.send(this.hook(pushed, options), daemon);
    return { ...answer, before: pushed.before, sha: pushed.after ?? '' };
  }

  private async send(hook: Hook, daemon = this.house.daemon) {
    const { status, body } = await this.house.deliver(hook, daemon);
    const { data, error } = body;
    if (status !== 200) throw new Error(`${status}: ${error}`);
    return { rfcId: data.rfc_id as string, outcome: (data.outcome ?? data.ignored) as string };
  }

  /** The webhook of a pull request. */
  pullHook(pulled: Omit<Pulled, 'repo' | 'repoId'>, options: Partial<HookOptions> = {}): Hook {
    const own = { repo: this.name, repoId: this.id, ...pulled };
    return pullHook(this.kind, own, { secret: SECRETS[this.host], ...options });
  }

  /** The webhook of a merge request of GitLab. */
  mergeRequestHook({ iid, sha, project }: { iid: number; sha: string; project: number }): Hook {
    const url = `https://git.example.com/${this.name}`;
    const payload = {
      object_kind: 'merge_request',
      user: { id: 5, username: 'eve' },
      project: {
        id: this.id,
        path_with_namespace: this.name,
        default_branch: 'main',
        web_url: url,
      },
      object_attributes: {
        iid,
        title: 'Add it',
        action: 'open',
        author_id: 5,
        source_branch: 'main',
        source_project_id: project,
        target_branch: 'main',
        last_commit: { id: sha },
        url: `${url}/-/merge_requests/${iid}`,
      },
    };
    const options = { secret: SECRETS[this.host], event: 'Merge Request Hook' };
    return hookOf(this.kind, payload, options);
  }

  /** Tells of a pull request, whose ref is set to its head as the host does. */
  async pull(
    pulled: Omit<Pulled, 'repo' | 'repoId'>,
    options: Partial<HookOptions> = {},
  ): Promise<Delivered> {
    this.set(`refs/pull/${pulled.number}/head`, pulled.sha);
    const answer = await this.send(this.pullHook(pulled, options));
    return { ...answer, before: null, sha: pulled.sha };
  }

  /** Commits of a fork, which no branch of the repository has; answers the last one. */
  forked(from: string, ...files: Readonly<Record<string, Blob['data']>>[]): string {
    const ref = 'refs/forks/head';
    this.set(ref, from);
    for (const each of files) this.commit(each, { ref });
    const sha = this.head(ref) ?? from;
    this.set(ref, null);
    return sha;
  }

  /** Commits and tells of it. */
  push(
    files: Readonly<Record<string, Blob['data']>>,
    options: CommitOptions = {},
  ): Promise<Delivered> {
    const ref = options.ref ?? MAIN;
    const before = this.head(ref);
    return this.tell({ ref, before, after: this.commit(files, options) });
  }

  /** Moves a ref, or removes it, and tells of it. */
  move(ref: string, after: string | null): Promise<Delivered> {
    const before = this.head(ref);
    this.set(ref, after);
    return this.tell({ ref, before, after });
  }

  /** Moves a ref, or removes it, and tells nobody. */
  set(ref: string, after: string | null): void {
    if (after === null) this.git('update-ref', '-d', ref);
    else this.git('update-ref', ref, after);
  }

  /** The record of a push once it is judged or superseded. */
  async verdict({ rfcId }: Pick<Delivered, 'rfcId'>): Promise<RfcRecord> {
    for (;;) {
      const { status, body } = await request(`${this.house.daemon.url}/rfc/${rfcId}?wait=30`);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      if (body.data.overall_status !== 'DRAFT') return body.data as RfcRecord;
    }
  }

  /** Pushes, and answers the record with its verdict. */
  async judge(
    files: Readonly<Record<string, Blob['data']>>,
    options: CommitOptions = {},
  ): Promise<RfcRecord> {
    return this.verdict(await this.push(files, options));
  }

  /** The record of the newest push; a sweep makes pushes that nobody told of. */
  async newest(): Promise<RfcRecord> {
    const { body } = await request(`${this.house.daemon.url}/webhook-status/${this.name}?wait=30`);
    return body.data as RfcRecord;
  }

  /** Waits until the newest push of the repository is of this commit and judged. */
  async judgedAt(sha: string): Promise<RfcRecord> {
    let record: RfcRecord | null = null;
    await until(async () => {
      record = await this.newest();
      return record.commit_sha === sha && record.overall_status !== 'DRAFT';
    });
    if (record === null) throw new Error('it was seen just now');
    return record;
  }

  /** Waits until an RFC of this ref has a verdict. */
  async judgedAtRef(ref: string): Promise<RfcRecord> {
    let record: RfcRecord | undefined;
    await until(async () => {
      const { body } = await request(`${this.house.daemon.url}/rfcs?repo=${this.name}`);
      const listed = body.data as RfcRecord[];
      record = listed.find((one) => one.branch === ref && VERDICTS.has(one.overall_status));
      return record !== undefined;
    });
    return this.verdict({ rfcId: record?.rfc_id ?? '' });
  }

  /** Whether production may deploy it. */
  async isAllowed(query = ''): Promise<boolean> {
    const { body } = await request(`${this.house.daemon.url}/prod-check/${this.name}${query}`);
    return body.data.allowed as boolean;
  }

  /** Waits until the host shows this state at a commit. */
  async shows(sha: string, state: string): Promise<void> {
    const host = this.house.statuses[this.host];
    await until(() => host.stateOf(this.name, sha) === state);
  }

  /** States that the host was told of a commit, oldest first. */
  statesOf(sha: string): string[] {
    const { taken } = this.house.statuses[this.host];
    return taken
      .filter((each) => each.repo === this.name && each.sha === sha)
      .map(({ state }) => state);
  }

  /** What `git diff` says, run by hand where the repository is. */
  diffHash(base: string, head: string, ...args: string[]): string {
    const options = ['--no-color', '--full-index', '--find-renames', ...args];
    const diff = this.hosted.git('diff', ...options, base, head);
    return createHash('sha256').update(diff).digest('hex');
  }

  /** Decides about an RFC as somebody who may. */
  async decide(rfcId: string, action: 'approve' | 'override' | 'reject'): Promise<void> {
    const path = action === 'override' ? `rfc/${rfcId}/override` : `${action}/${rfcId}`;
    const body = JSON.stringify({ actor: 'ann', reason: 'the example of the vendor' });
    const answer = await request(`${this.house.daemon.url}/${path}`, { method: 'POST', body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }
}

/** Ids of the findings of gate 1. */
export function riskIds(record: RfcRecord): string[] {
  return record.gates.risk.findings.map(({ id }) => id).sort();
}
