import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { parseArgs } from 'node:util';
import {
  type Environment,
  type HookFacts,
  readClientSettings,
  readHookFacts,
} from '../daemon/config/reader.ts';
import { EMPTY_TREES, formatOf, hasBinaryName } from '../git/environment.ts';
import { GIT } from '../git/limits.ts';
import type { FailMode, PreReceiveRequest, PushFacts } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { PRE_RECEIVE } from '../model/limits.ts';
import { DIFF_OPTIONS, type Read, readerOfHook } from './git.ts';
import {
  ask,
  deliverLeft,
  isBusy,
  postTo,
  readAnswer,
  report,
  say,
  unjudgedLine,
  writeLeft,
} from './push-report.ts';
import { CLI, readAll } from './terminal.ts';

/**
 * `cra pre-receive`: what a Git host runs before it takes a push. Reads the ref lines of git,
 * makes the patches of the new commits where git keeps them until then, and asks the service.
 * Resolves with 0: the push may go on, or 1: it is refused.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const fail = readFail(values.fail);
  const withinMs = readWithin(values.within);
  const budget = openBudget(withinMs);
  // Whatever fails from here on, the push is noted.
  const hook = readHookFacts();
  const spool = values.spool ?? resolve(hook.gitDir, 'cra-pre-receive');
  let push = factsOf([], hook, values['repo-name']);
  const id = randomUUID();
  try {
    const updates = await readUpdates(addAbortSignal(budget.signal, process.stdin));
    if (updates.length === 0) return 0;
    push = factsOf(updates, hook, values['repo-name']);
    const settings = readClientSettings();
    const content = await newContent(settings.gitEnvironment, updates, budget.signal).catch(
      withPlace,
    );
    if (content === null) return 0;
    const post = postTo(values.server ?? settings.baseUrl, settings.token, budget.signal);
    const request: PreReceiveRequest = { ...push, fail, ...content };
    const code = report(readAnswer(await ask(post, request, id, budget.signal)), push);
    await deliverLeft(spool, post);
    return code;
  } catch (thrown) {
    const isLate = budget.signal.aborted && !isBusy(thrown);
    const why = shortened(isLate ? tooSlow(withinMs) : CraError.fromUnknown(thrown).message);
    const isOpen = fail === 'open';
    say(unjudgedLine(why, isOpen));
    const left = { ...push, at: new Date().toISOString(), why, let_through: isOpen };
    writeLeft(spool, id, left, (problem) => say(`the audit trail will not show this: ${problem}`));
    return isOpen ? 0 : 1;
  } finally {
    budget.end();
  }
}

/** From the start of the process: GitHub Enterprise gives a hook 5 s. */
const WITHIN_MS = 4_500;
const WITHIN_SECONDS_MAX = 600;

function readWithin(text: string | undefined): number {
  const seconds = Number(text ?? WITHIN_MS / 1_000);
  if (seconds > 0 && seconds <= WITHIN_SECONDS_MAX) return seconds * 1_000;
  const message = `--within must be a number of seconds, at most ${WITHIN_SECONDS_MAX}`;
  throw new CraError('INVALID_ARGUMENT', message);
}

function openBudget(withinMs: number) {
  const controller = new AbortController();
  const left = Math.max(1, withinMs - performance.now());
  const timer = setTimeout(() => controller.abort(new Error('too slow')), left);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

function tooSlow(withinMs: number): string {
  return `it took longer than ${withinMs / 1_000} s`;
}

function readFail(text = 'open'): FailMode {
  if (text === 'open' || text === 'closed') return text;
  throw new CraError('INVALID_ARGUMENT', '--fail must be open or closed');
}

const REASON = 'cra.reason=';

function factsOf(
  updates: readonly RefUpdate[],
  { gitDir, repoName, pusher, pushOptions }: HookFacts,
  given: string | undefined,
): PushFacts {
  const reason = pushOptions.findLast((text) => text.startsWith(REASON)) ?? null;
  const folder = resolve(gitDir);
  const name = basename(folder) === '.git' ? resolve(folder, '..') : folder;
  const refs = updates.slice(0, PRE_RECEIVE.REFS_SHOWN_MAX).map(({ ref }) => shortened(ref));
  return {
    repo_name: shortened(given ?? repoName ?? basename(name, '.git')),
    refs: refs.length === 0 ? [UNKNOWN_REF] : refs,
    refs_total: updates.length,
    pusher: pusher === null ? null : shortened(pusher),
    reason:
      reason === null ? null : shortened(reason.slice(REASON.length), PRE_RECEIVE.REASON_CHARS_MAX),
  };
}

/** Of a push whose refs could not be read. */
const UNKNOWN_REF = '(not read)';

/** As the service takes it: not too long, and without what ends a text elsewhere. */
function shortened(text: string, charsMax = SHORT_CHARS_MAX): string {
  return text.replaceAll('\0', '').slice(0, charsMax).toWellFormed();
}

const SHORT_CHARS_MAX = 255;

const OPTIONS = {
  server: { type: 'string' },
  fail: { type: 'string' },
  within: { type: 'string' },
  spool: { type: 'string' },
  'repo-name': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra pre-receive [OPTIONS]

The pre-receive hook of a Git host: refuses a push that adds secrets, before anybody can fetch it.
Reads what git writes to such a hook, and asks a running service; docs/how-to/pre-receive.md says
what each host needs. Which findings refuse a push, and who may push all the same, is said by
pipeline.pre_receive of the rules.

  --server URL      the service, or unix:PATH of its socket (default: CRA_BASE_URL, or
                    http://127.0.0.1:3011)
  --fail MODE       open (default): a push that cannot be judged in time goes through, and is in
                    the audit trail; closed: it is refused
  --within SECONDS  the time for all of it (default: 4.5)
  --repo-name NAME  the repository (default: as the host names it, or its folder)
  --spool DIR       where pushes are noted that the service could not be asked about, until the
                    next push that it answers (default: cra-pre-receive in the repository)
CRA_API_TOKEN or CRA_API_TOKEN_FILE hold the API token; CRA_PUSHER names who pushes, where the host
does not.

Exit code: 0 the push may go on, 1 it is refused.

  exec cra pre-receive                       as hooks/pre-receive
`;

/** A line that git writes to the hook, but for deletions. */
interface RefUpdate {
  /** What the ref will point at. */
  id: string;
  ref: string;
  /** Whether there was no such ref. */
  isNew: boolean;
}

/** Of 200,000 refs and more. */
const LINES_BYTES_MAX = 16 * 1024 * 1024;
/** With `s`: git takes separators of lines of Unicode in the name of a ref. */
const LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S.*)$/s;
const NULL_ID = /^0+$/;

/** Reads `OLD NEW REF` lines. What a deletion takes away was public already. */
async function readUpdates(stdin: AsyncIterable<Buffer>): Promise<RefUpdate[]> {
  const text = (await readAll(stdin, LINES_BYTES_MAX, 'the list of refs')).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, old = '', id = '', ref = ''] = LINE.exec(line) ?? [];
      if (id !== '') return { id, ref, isNew: NULL_ID.test(old) };
      throw new CraError('INVALID_ARGUMENT', 'expects the lines that git writes to a hook');
    })
    .filter(({ id }) => !NULL_ID.test(id));
}

/** What a push brings that no ref of the repository had. */
interface NewContent {
  commits: number;
  /** Of each new commit `commit ID` and its patch; of merges what is in none of their parents. */
  patches: string;
  /**
   * The same commits and the annotated tags as `git cat-file --batch` writes them, and the names
   * of new refs in the same form, base64.
   */
  messages: string;
}

/** Git keeps what is pushed apart until the hook has ended, and tells only the hook where. */
function withPlace(thrown: unknown): never {
  const { code, message } = CraError.fromUnknown(thrown);
  if (!/bad object|unknown revision|could not get object info/i.test(message)) throw thrown;
  const advice =
    'git does not find here what is pushed: let git start the hook, in the repository that is ' +
    'pushed to, and pass its variables on (GIT_DIR, GIT_QUARANTINE_PATH, GIT_OBJECT_DIRECTORY)';
  throw new CraError(code, `${message}; ${advice}`, { cause: thrown });
}

/** Context lines, as `cra analyze` has them. */
const CONTEXT = '--unified=10';
const HEAD = /(?:^|\n)commit ([0-9a-f]{40,64})(?=\n|$)/g;

/**
 * Reads what is new, in the quarantine that git has named in the environment of the hook; null:
 * nothing is. Rejects when git fails, when it is too much for one request, and when a ref points
 * at something that has no commit.
 */
async function newContent(
  env: Environment,
  updates: readonly RefUpdate[],
  signal: AbortSignal,
): Promise<NewContent | null> {
  const ids = [...new Set(updates.map(({ id }) => id))];
  // Older versions of git read attributes from the index instead, of a bare repository none.
  const empty = EMPTY_TREES[formatOf(ids[0] ?? '')];
  const read = readerOfHook({ ...env, ...NO_ATTRIBUTES, GIT_ATTR_SOURCE: empty }, signal);
  const others = updates.filter(({ ref }) => !ref.startsWith('refs/heads/'));
  const [patches, tags] = await Promise.all([
    read(
      [
        ...['log', '--root', '--no-show-signature', '--no-notes', '--diff-merges=dense-combined'],
        ...['--format=tformat:commit %H', '--patch', ...DIFF_OPTIONS, '--no-renames', CONTEXT],
        // What it reads from there is never negated.
        ...['--stdin', '--not', '--all'],
      ],
      lines(ids),
    ),
    others.length === 0 ? [] : tagsOf(read, [...new Set(others.map(({ id }) => id))]),
  ]);
  const commits = [...patches.toString('latin1').matchAll(HEAD)].map(([, id]) => id ?? '');
  const names = updates.filter(({ isNew }) => isNew).map(({ ref }) => ref);
  const objects = [...commits, ...tags];
  if (objects.length + names.length === 0) return null;
  const messages =
    objects.length === 0 ? [] : [await read(['cat-file', '--batch'], lines(objects))];
  return {
    commits: commits.length,
    patches: (await withHidden(patches, read)).toString('utf8'),
    messages: Buffer.concat([...messages, ...asObject(names, empty)]).toString('base64'),
  };
}

/** Under the id of an object of which nobody expects them. */
function asObject(names: readonly string[], id: string): Buffer[] {
  const text = lines(names);
  return names.length === 0 ? [] : [Buffer.from(`${id} refs ${text.length}\n${text}\n`)];
}

/** Nothing that is pushed, or was once, hides the content of files from a diff. */
const NO_ATTRIBUTES = { GIT_ATTR_NOSYSTEM: '1', GIT_INDEX_FILE: '/nonexistent/index' };

/** A file of which git shows no lines: its new blob, and where its marker stands. */
interface HiddenFile {
  id: string;
  /** As git writes it in a header, with `b/` and perhaps in quotes. */
  name: string;
  parents: number;
  /** Of its `Binary files` line, in bytes. */
  from: number;
  to: number;
}

/**
 * The same patches with the lines of files that git takes for binary, as one NUL is enough for
 * that: files that are small enough, and whose name is not that of a binary format. So mirrors
 * show them, too. The others stay markers.
 */
async function withHidden(patches: Buffer, read: Read): Promise<Buffer> {
  const hidden = hiddenIn(patches);
  if (hidden.length === 0) return patches;
  const format = '--batch-check=%(objectname) %(objectsize)';
  const sizes = await read(['cat-file', format], lines(hidden.map(({ id }) => id)));
  const small = new Set(
    sizes
      .toString('latin1')
      .split('\n')
      .flatMap((line) => {
        const [id = '', size] = line.split(' ');
        return Number(size) > 0 && Number(size) <= GIT.TEXT_BYTES_MAX ? [id] : [];
      }),
  );
  const blobs = blobsIn(await read(['cat-file', '--batch'], lines([...small])));
  const parts: Buffer[] = [];
  let at = 0;
  let bytes = 0;
  for (const { id, name, parents, from, to } of hidden) {
    const blob = blobs.get(id);
    if (blob === undefined) continue;
    // One blob may stand under many names.
    bytes += blob.length;
    if (bytes > CLI.DIFF_BYTES_MAX) throw new CraError('OUT_OF_RANGE', TOO_MUCH);
    parts.push(patches.subarray(at, from), asAdded(blob, name, parents));
    at = to;
  }
  return Buffer.concat([...parts, patches.subarray(at)]);
}

const TOO_MUCH = `the push brings more than ${CLI.DIFF_BYTES_MAX} bytes`;

/** No line of a file begins so, as each has a sign before it. */
const MARKER = '\nBinary files ';
const HEADER = /^diff --(git|cc|combined) (.*)\n(?:.*\n)*index ([0-9a-f,]+)\.\.([0-9a-f]{40,64})/;

function hiddenIn(patches: Buffer): HiddenFile[] {
  const found: HiddenFile[] = [];
  for (let at = patches.indexOf(MARKER); at !== -1; at = patches.indexOf(MARKER, at + 1)) {
    const start = patches.lastIndexOf('\ndiff --', at);
    const header = patches.toString('latin1', start + 1, at);
    const [, form, names = '', old = '', id = ''] = HEADER.exec(header) ?? [];
    // Both names of a file that keeps its name have the same length.
    const isPlain = form === 'git';
    const name = isPlain ? names.slice((names.length + 1) / 2) : names.replace(/^"?/, '$&b/');
    const end = patches.indexOf('\n', at + 1);
    const isShown = id !== '' && !NULL_ID.test(id) && !hasBinaryName(name.replace(/"$/, ''));
    const place = { from: at + 1, to: end === -1 ? patches.length : end };
    if (isShown) found.push({ id, name, parents: old.split(',').length, ...place });
  }
  return found;
}

/** Blobs by their id, from the output of `git cat-file --batch`. */
function blobsIn(output: Buffer): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [id = '', , size] = output.toString('latin1', at, end).split(' ');
    blobs.set(id, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return blobs;
}

function asAdded(blob: Buffer, name: string, parents: number): Buffer {
  const own = blob.toString('latin1').split('\n');
  if (own.at(-1) === '') own.pop();
  const at = '@'.repeat(parents + 1);
  const head = `--- /dev/null\n+++ ${name}\n${at}${' -0,0'.repeat(parents)} +1,${own.length} ${at}`;
  const sign = '+'.repeat(parents);
  return Buffer.from([head, ...own.map((line) => `${sign}${line}`)].join('\n'), 'latin1');
}

/** Tags of tags of tags. */
const DEPTH_MAX = 10;

/** The annotated tags among objects, and the objects that they point at. */
async function tagsOf(read: Read, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let next = [...ids];
  for (let depth = 0; next.length > 0; depth += 1) {
    if (depth === DEPTH_MAX) throw new CraError('OUT_OF_RANGE', 'a tag of too many tags');
    const kinds = (
      await read(['cat-file', '--batch-check=%(objectname) %(objecttype)'], lines(next))
    )
      .toString('latin1')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ', 2) as [string, string]);
    const odd = kinds.find(([, kind]) => kind !== 'commit' && kind !== 'tag');
    if (odd !== undefined) throw new CraError('FAILED_PRECONDITION', `a ref to a ${odd[1]}`);
    const tags = kinds.filter(([, kind]) => kind === 'tag').map(([id]) => id);
    found.push(...tags);
    next = tags.length === 0 ? [] : targetsIn(await read(['cat-file', '--batch'], lines(tags)));
  }
  return found;
}

const TAG = /([0-9a-f]{40,64}) tag (\d+)\nobject ([0-9a-f]{40,64})\n/y;

/** What tags point at, from the output of `git cat-file --batch`. */
function targetsIn(output: Buffer): string[] {
  const text = output.toString('latin1');
  const targets = new Set<string>();
  for (let at = 0; at < text.length; ) {
    TAG.lastIndex = at;
    const [head, id = '', size = '', target = ''] = TAG.exec(text) ?? [];
    if (head === undefined) throw new CraError('FAILED_PRECONDITION', 'a tag that git cannot show');
    targets.add(target);
    at += `${id} tag ${size}\n`.length + Number(size) + 1;
  }
  return [...targets];
}

function lines(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(''));
}
