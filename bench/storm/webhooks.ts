import { createHmac } from 'node:crypto';
import { createRandom, type Random } from '../random.ts';
import type { FieldRepo } from './git-field.ts';

/** One webhook, signed. Its body is `head`, the part of its repository, then the common part. */
export interface Webhook {
  repo: number;
  ref: string;
  after: string;
  delivery: string;
  /** The same for the same body. */
  body: number;
  head: Buffer;
  signature: string;
  isLarge: boolean;
  /** Sent before, so that the ref is there or further. */
  isAgain: boolean;
}

/** What a storm is made of. */
export interface TrafficOptions {
  repos: readonly FieldRepo[];
  secret: string;
  seed: number;
}

/** What is not as usual in a push; null: the next commit. */
interface Special {
  after: string | null;
  /** A payload of 25 MB. */
  isLarge: boolean;
}

/** Draws webhooks; bodies and delivery ids never repeat but where they are meant to. */
export interface TrafficSource {
  /** `count` of them: so large a share for the first repository, the rest for the others. */
  draw(count: number, name: string, floodedShare: number): Webhook[];
  /** A single push of a repository. */
  push(repo: number, ref: string, name: string, special?: Special): Webhook;
  /** The parts of a body in order. */
  bodyOf(webhook: Webhook): Buffer[];
}

const DUPLICATES = 0.1;
const FORCED = 0.05;
/** Duplicates follow within so many webhooks: a host tries again soon or a person clicks. */
const AGAIN_WITHIN = 200;
export const BODY_BYTES = 32 * 1024;
/** What GitHub sends at most. */
const LARGE_BODY_BYTES = 25 * 1024 * 1024;

interface Place {
  line: number;
  at: number;
  sha: string | null;
}

/** Creates a source; the same seed gives the same pushes. */
export function createTrafficSource({ repos, secret, seed }: TrafficOptions): TrafficSource {
  const random = createRandom(seed);
  const places = new Map<string, Place>();
  const parts = repos.map(repositoryPart);
  const tail = commitsPart(BODY_BYTES - (parts[0]?.length ?? 0) - HEAD_BYTES);
  const largeTail = commitsPart(LARGE_BODY_BYTES - 2 * HEAD_BYTES);
  let bodies = 0;

  function tailOf(isLarge: boolean): Buffer {
    return isLarge ? largeTail : tail;
  }

  function sign(webhook: Omit<Webhook, 'signature'>): Webhook {
    const mac = createHmac('sha256', secret).update(webhook.head);
    const part = parts[webhook.repo] ?? NONE;
    mac.update(part).update(tailOf(webhook.isLarge));
    return { ...webhook, signature: `sha256=${mac.digest('hex')}` };
  }

  function push(repo: number, ref: string, name: string, special = USUAL): Webhook {
    const place = places.get(`${repo} ${ref}`) ?? { line: 0, at: -1, sha: null };
    const before = place.sha;
    const isForced = move(place, repos[repo]?.lines ?? [], random);
    place.sha = special.after ?? place.sha;
    places.set(`${repo} ${ref}`, place);
    bodies += 1;
    const sha = place.sha ?? ZEROS;
    const head = headPart({ ref, before: before ?? ZEROS, after: sha, forced: isForced, bodies });
    const delivery = `${name}-${bodies}`;
    return sign({
      repo,
      ref,
      after: sha,
      delivery,
      body: bodies,
      head,
      isLarge: special.isLarge,
      isAgain: false,
    });
  }

  function draw(count: number, name: string, floodedShare: number): Webhook[] {
    const drawn: Webhook[] = [];
    while (drawn.length < count) {
      const earlier = drawn[drawn.length - 1 - random.between(0, AGAIN_WITHIN)];
      if (earlier !== undefined && random.next() < DUPLICATES) {
        const isSame = random.next() < 0.5;
        const delivery = isSame ? earlier.delivery : `${earlier.delivery}-again-${drawn.length}`;
        drawn.push({ ...earlier, delivery, isAgain: true });
        continue;
      }
      const others = repos.length - 1;
      const isFlooded = others === 0 || random.next() < floodedShare;
      const repo = isFlooded ? 0 : 1 + random.between(0, others);
      drawn.push(push(repo, random.pick(repos[repo]?.refs ?? []), name));
    }
    return drawn;
  }

  return {
    draw,
    push,
    bodyOf: ({ head, repo, isLarge }) => [head, parts[repo] ?? NONE, tailOf(isLarge)],
  };
}

const USUAL: Special = { after: null, isLarge: false };
const NONE = Buffer.alloc(0);
const ZEROS = '0'.repeat(40);
const HEAD_BYTES = 300;

/** To the next commit, or to the beginning of another line; tells whether that was by force. */
function move(place: Place, lines: FieldRepo['lines'], random: Random): boolean {
  const line = lines[place.line] ?? [];
  const isForced = place.at >= 0 && (random.next() < FORCED || place.at + 1 >= line.length);
  if (isForced) {
    place.line = random.between(0, lines.length);
    place.at = 0;
  } else {
    place.at += 1;
  }
  place.sha = lines[place.line]?.[place.at] ?? null;
  return isForced;
}

/** The order of fields is GitHub's: https://docs.github.com/en/webhooks/webhook-events-and-payloads#push */
function headPart(push: {
  ref: string;
  before: string;
  after: string;
  forced: boolean;
  bodies: number;
}): Buffer {
  const { ref, before, after, forced, bodies } = push;
  const first = JSON.stringify({
    ref,
    before,
    after,
    created: before === ZEROS,
    deleted: false,
    forced,
    base_ref: null,
    push_id: bodies,
  });
  return Buffer.from(`${first.slice(0, -1)},`);
}

const LINKS = (
  'archive assignees blobs branches collaborators comments commits compare contents contributors ' +
  'deployments downloads events forks git_commits git_refs git_tags git hooks issue_comment ' +
  'issue_events issues keys labels languages merges milestones mirror notifications pulls ' +
  'releases ssh stargazers statuses subscribers subscription svn tags teams trees'
).split(' ');

function repositoryPart({ name }: FieldRepo, index: number): Buffer {
  const web = `https://git.example.com/${name}`;
  const api = `https://git.example.com/api/v3/repos/${name}`;
  const links = Object.fromEntries(LINKS.map((link) => [`${link}_url`, `${api}/${link}{/sha}`]));
  const repository = {
    // Its own: by this, not by its name, a repository is known.
    id: 186_853_002 + index,
    node_id: 'MDEwOlJlcG9zaXRvcnkx',
    name: name.split('/')[1],
    full_name: name,
    private: true,
    html_url: web,
    description: 'Baskets',
    fork: false,
    url: web,
    ...links,
    default_branch: 'main',
    master_branch: 'main',
    visibility: 'private',
    topics: [],
  };
  const person = { name: 'a-person', email: 'a.person@example.com' };
  const sender = { login: 'a-person', id: 1, type: 'User', url: `${web}/a-person` };
  const text = JSON.stringify({ repository, pusher: person, sender, compare: `${web}/compare` });
  return Buffer.from(`${text.slice(1, -1)},`);
}

/** As many commits as fit, and padding in the message of the last one. */
function commitsPart(bytes: number): Buffer {
  const commit = (at: number, message: string) => ({
    id: at.toString(16).padStart(40, '7'),
    tree_id: at.toString(16).padStart(40, '8'),
    distinct: true,
    message,
    timestamp: '2026-03-01T10:00:00+01:00',
    url: `https://git.example.com/acme/repo/commit/${at.toString(16).padStart(40, '7')}`,
    author: PERSON,
    committer: PERSON,
    added: [],
    removed: [],
    modified: [`src/part-${at}.py`, `test/part-${at}.py`],
  });
  const text = (commits: unknown[]) => `"commits":${JSON.stringify(commits)},"head_commit":null}`;
  const one = JSON.stringify(commit(1_000_000, MESSAGE)).length + 1;
  const commits = Array.from({ length: Math.max(1, Math.floor((bytes - 600) / one)) }, (_, at) =>
    commit(1_000_000 + at, MESSAGE),
  );
  const missing = Math.max(0, bytes - text(commits).length);
  commits.push(commit(9_999_999, ''));
  const pad = Math.max(0, missing - (text(commits).length - text(commits.slice(0, -1)).length));
  return Buffer.from(text([...commits.slice(0, -1), commit(9_999_999, 'x'.repeat(pad))]));
}

const PERSON = { name: 'A Person', email: 'a.person@example.com', username: 'a-person' };
const MESSAGE =
  'basket: survive a restart of the browser\n\nIt was "lost" with the session, which ends.';
