import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { findWideContext } from '../../src/gates/patterns/wide-context.ts';
import { createGroups } from '../../src/git/launcher.ts';
import { openSource } from '../../src/git/source.ts';
import { connectInProcess } from '../../src/rpc/channel.ts';
import type { Client } from '../../src/rpc/service.ts';
import { createClient, createServer, implement } from '../../src/rpc/service.ts';
import { Source } from '../../src/rpc/source-contract.ts';
import { settingsOf } from '../git/opened.ts';
import { startGitHost } from '../hosts/git-host.ts';
import type { HostedRepository } from '../hosts/git-repository.ts';
import { FakeHost, type WordDiff } from './fake-host.ts';

type SourceClient = Client<typeof Source>;
type Call = (input: never) => Promise<unknown>;

/** The names that a World gives its repository: all of them lead to the same one. */
const NAMES = ['acme/shop', 'team-0/shop', 'team-1/shop', 'team-2/shop'];

/**
 * A FakeHost whose commits are real ones, each word a file, on a real host behind the service's own
 * git: each answer of the fake that git can give is compared with that of git, and throws where
 * they differ.
 */
export async function openCheckedHost(): Promise<FakeHost> {
  const { repository, git, close } = await openGit();
  return new CheckedHost(repository.dir, git, close);
}

/** A host whose commits and refs somebody else writes, behind the service's own git alone. */
export async function openRealHost(): Promise<RealHost> {
  const { repository, git, close } = await openGit();
  return new RealHost(repository, git, close);
}

/** One repository on a real host, and the service's own git for it. */
async function openGit() {
  const remote = await startGitHost();
  const [first = '', ...others] = NAMES;
  const repository = remote.repository(first);
  repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  for (const name of others) {
    const link = join(remote.root, `${name}.git`);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(repository.dir, link);
  }
  const mirrorDir = mkdtempSync(join(tmpdir(), 'cra-checked-'));
  const opened = await openSource(
    {
      mirrorDir,
      mirrorBytesMax: 2 ** 30,
      groups: createGroups(),
      hosts: [{ ...settingsOf(remote), id: 'hub' }],
    },
    findWideContext,
  );
  const server = createServer([implement(Source, opened.methods)]);
  const git = createClient(Source, connectInProcess(server));
  const close = async () => {
    await opened.close();
    await remote.close();
    rmSync(mirrorDir, { recursive: true, force: true });
  };
  return { repository, git, close };
}

export class RealHost extends FakeHost {
  override readonly source: SourceClient;
  readonly repository: HostedRepository;
  private readonly end: () => Promise<void>;

  constructor(repository: HostedRepository, git: SourceClient, end: () => Promise<void>) {
    super();
    this.repository = repository;
    this.source = git;
    this.end = end;
  }

  override close(): Promise<void> {
    return this.end();
  }
}

class CheckedHost extends FakeHost {
  override readonly source: SourceClient;
  private readonly dir: string;
  private readonly end: () => Promise<void>;

  constructor(dir: string, git: SourceClient, end: () => Promise<void>) {
    super();
    this.dir = dir;
    this.end = end;
    this.source = this.checked(this.fake, git);
  }

  override close(): Promise<void> {
    return this.end();
  }

  /** Writes a commit, its tree and files as git stores them; its date is later than all before. */
  protected override nameOf(parents: readonly string[], words: ReadonlySet<string>): string {
    const entries = [...words].sort().map((word) => {
      const sha = this.write('blob', Buffer.from(contentOf(word)));
      return Buffer.concat([Buffer.from(`100644 ${word}\0`), Buffer.from(sha, 'hex')]);
    });
    const tree = this.write('tree', Buffer.concat(entries));
    const by = `A U Thor <author@example.com> ${1_700_000_000 + this.commits.size} +0000`;
    const lines = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      ...[`author ${by}`, `committer ${by}`, '', `commit ${this.commits.size}\n`],
    ];
    return this.write('commit', Buffer.from(lines.join('\n')));
  }

  /** https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_object_storage */
  private write(type: string, content: Buffer): string {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const sha = createHash('sha1').update(bytes).digest('hex');
    const path = join(this.dir, 'objects', sha.slice(0, 2), sha.slice(2));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deflateSync(bytes));
    return sha;
  }

  private writeRefs(): void {
    const lines = [...this.refs].sort().map(([ref, sha]) => `${sha} ${ref}\n`);
    const path = join(this.dir, 'packed-refs');
    writeFileSync(`${path}.new`, lines.join(''));
    renameSync(`${path}.new`, path);
  }

  private checked(fake: SourceClient, git: SourceClient): SourceClient {
    const both =
      (name: keyof SourceClient, compare: (own: never, real: never, input: never) => void) =>
      async (input: never) => {
        const own = await (fake[name] as Call)(input);
        // A host that is down, or a process that dies, is only the fake's.
        if (!this.isUp || this.diesAfter !== null) return own;
        this.writeRefs();
        compare(own as never, (await (git[name] as Call)(input)) as never, input);
        return own;
      };
    const same = (name: keyof SourceClient) =>
      both(name, (own, real, input) =>
        assert.deepEqual(real, own, `${name} ${JSON.stringify(input)}`),
      );
    const checked = {
      ...fake,
      sync: same('sync'),
      listRefs: same('listRefs'),
      ancestry: same('ancestry'),
      areRelated: same('areRelated'),
      isAncestor: same('isAncestor'),
      ancestorsAmong: same('ancestorsAmong'),
      firstParents: same('firstParents'),
      isSameChange: same('isSameChange'),
      diff: both('diff', (own: Diff, real: Diff, input) => {
        const what = `diff ${JSON.stringify(input)}`;
        assert.equal(real.commits, own.commits, what);
        const { added, passed } = JSON.parse(
          Buffer.from(own.diff).toString() || '{"added":[],"passed":[]}',
        ) as WordDiff;
        assert.deepEqual(wordsOf(real.diff), unique(added), what);
        assert.deepEqual(wordsOf(real.history ?? real.diff), unique(passed), what);
      }),
    };
    return checked as unknown as SourceClient;
  }
}

type Diff = Awaited<ReturnType<SourceClient['diff']>>;

/** Lines that no other word has: git takes no file for another one that was renamed. */
function contentOf(word: string): string {
  const lines = Array.from({ length: 4 }, (_, n) =>
    createHash('sha256').update(`${n} ${word}`).digest('hex'),
  );
  return `${lines.join('\n')}\n`;
}

/** Files that a patch adds. */
function wordsOf(patch: Uint8Array): string[] {
  const text = Buffer.from(patch).toString();
  return unique([...text.matchAll(/^--- \/dev\/null\n\+\+\+ b\/(.+)$/gm)].map(([, word]) => word));
}

function unique(words: readonly (string | undefined)[]): string[] {
  return [...new Set(words.filter((word) => word !== undefined))].sort();
}
