import { readCommits } from '../src/cli/git.ts';
import type { Finding } from '../src/model/finding.ts';
import { defaultRules } from '../src/rules/default.ts';
import { openRepository } from './corpus/repo-corpus.ts';
import { keepInFlight } from './harness.ts';
import { type Judged, startJudge } from './noise/judge.ts';
import { readPrecision } from './noise/labels.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';

/**
 * The goals over ordinary commits. Private keys in clear are what they say they are, and
 * are left out of the last one.
 */
const GOALS = { blockedPercent: 2, vulnPer10kLines: 1, secretsPer180Mb: 10 } as const;
const SECRETS_MB = 180;
const TOP_RULES = 25;
const THREADS = 2;
/** How often a run says which commit it has come to. */
const PROGRESS_COMMITS = 50;

/** What the gates say of commits that people made and kept: nearly all of them are in order. */
export async function run(options: RunOptions): Promise<Report> {
  if (options.repos.length === 0) throw new TypeError('noise needs --repo PATH, may be several');
  const total = newTally();
  const rows: Cell[][] = [];
  const facts: string[] = [];
  for (const path of options.repos) {
    const { name, head, commits } = await judgeRepository(path, options);
    const tally = newTally();
    for (const commit of commits) {
      count(tally, name, commit);
      count(total, name, commit);
    }
    rows.push(rowOf(name, tally));
    facts.push(`${name}: commits without merges to ${head}, the newest ${options.commits} at most`);
  }
  if (options.repos.length > 1) rows.push(rowOf('all', total));
  const { blockedPercent, vulnPer10kLines, otherSecretsPer180Mb } = ratesOf(total);
  return {
    title: 'Noise over histories',
    facts: [
      ...facts,
      `goals: blocked <= ${GOALS.blockedPercent} %, vuln-* <= ${GOALS.vulnPer10kLines} per 10,000 ` +
        `added lines, secrets other than private keys <= ${GOALS.secretsPer180Mb} over ` +
        `${SECRETS_MB} MB`,
    ],
    tables: [
      { columns: COLUMNS, rows },
      topRules(total),
      ...(options.data === null ? [] : [readPrecision(options.data)]),
      ...(total.unjudged.length === 0 ? [] : [unjudgedTable(total)]),
      ...(options.list ? [listing(total.blocked), listing(total.quietSecrets)] : []),
    ],
    notes: [
      'each commit is analysed alone by the scan threads and AST children of the service, with the ' +
        'built-in rules; a suppressed finding does not count, a secret counts once in a commit',
      'added lines are those of all files; MB is diff with three lines of context',
      'empty commits are left out; one above the limit for a diff counts as blocked; one whose ' +
        'analysis failed or did not end in its time counts in no figure but its own',
    ],
    holds:
      blockedPercent <= GOALS.blockedPercent &&
      vulnPer10kLines <= GOALS.vulnPer10kLines &&
      otherSecretsPer180Mb <= GOALS.secretsPer180Mb &&
      !total.unjudged.some(({ error }) => error.startsWith('INTERNAL')),
  };
}

async function judgeRepository(path: string, options: RunOptions) {
  const { git, name, head } = await openRepository(path);
  const judge = startJudge(THREADS);
  const commits: Judged[] = [];
  try {
    const source = readCommits(git, { count: options.commits, numstat: false });
    let isDone = false;
    // None waits for a thread: an analysis that waits may not end in its time.
    await keepInFlight(
      THREADS,
      () => isDone,
      async () => {
        const next = await source.next();
        if (next.done) {
          isDone = true;
          return;
        }
        if (next.value.bytes === 0) return;
        const position = commits.push({ sha: next.value.sha, result: null, error: null }) - 1;
        const startedMs = performance.now();
        const judged = await judge.judge(next.value, name, git);
        commits[position] = judged;
        // Said at once: a run over a long history may be ended before its report.
        if (judged.error !== null || judged.result === null || judged.result.isBlocked) {
          options.progress(
            `noise: ${name} ${judged.sha.slice(0, SHA_DIGITS)}: ${outcomeOf(judged)}`,
          );
        }
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
        if ((position + 1) % PROGRESS_COMMITS === 0) {
          const { sha, message } = next.value;
          const title = `${sha.slice(0, SHA_DIGITS)} ${oneLine(message.split('\n')[0] ?? '')}`;
          options.progress(`noise: ${name} ${position + 1} commits, ${title}: ${seconds} s`);
        }
      },
    );
  } finally {
    await judge.close();
  }
  return { name, head, commits };
}

const SHA_DIGITS = 12;

function outcomeOf({ result, error }: Judged): string {
  if (error !== null) return `not judged: ${oneLine(error)}`;
  if (result === null) return 'above the limit for a diff';
  const blocking = result.findings.filter(({ severity }) => BLOCKING.has(severity));
  return `BLOCKED by ${[...new Set(blocking.map(({ id }) => id))].join(', ')}`;
}

interface RuleCount {
  severity: string;
  findings: number;
  commits: Set<string>;
}

/** Findings of a commit; none: it is above the limit for a diff. */
interface Listed {
  repo: string;
  sha: string;
  findings: readonly Finding[];
}

interface Tally {
  commits: number;
  bytes: number;
  added: number;
  blocked: Listed[];
  unjudged: { repo: string; sha: string; error: string }[];
  /** Secrets that block nothing by themselves. */
  quietSecrets: Listed[];
  vulns: number;
  secrets: number;
  privateKeys: number;
  /** Fingerprints of secrets, per repository. */
  values: Set<string>;
  rules: Map<string, RuleCount>;
}

function newTally(): Tally {
  return {
    commits: 0,
    bytes: 0,
    added: 0,
    blocked: [],
    unjudged: [],
    quietSecrets: [],
    vulns: 0,
    secrets: 0,
    privateKeys: 0,
    values: new Set(),
    rules: new Map(),
  };
}

function count(tally: Tally, repo: string, { sha, result, error }: Judged): void {
  if (error !== null) {
    tally.unjudged.push({ repo, sha, error });
    return;
  }
  tally.commits += 1;
  if (result === null) {
    tally.blocked.push({ repo, sha, findings: [] });
    return;
  }
  const findings = result.findings.filter(({ suppressed }) => suppressed === null);
  tally.bytes += result.stats.bytes;
  tally.added += result.stats.additions;
  tally.vulns += findings.filter(({ id }) => id.startsWith('vuln-')).length;
  const secrets = findings.filter(({ id }) => id.startsWith('secret-'));
  tally.secrets += secrets.length;
  tally.privateKeys += secrets.filter(({ id }) => id === PRIVATE_KEY).length;
  for (const { fingerprint } of secrets) tally.values.add(fingerprint);
  const quiet = secrets.filter(({ severity }) => !BLOCKING.has(severity));
  if (quiet.length > 0) tally.quietSecrets.push({ repo, sha, findings: quiet });
  if (result.isBlocked) {
    const blocking = findings.filter(({ severity }) => BLOCKING.has(severity));
    tally.blocked.push({ repo, sha, findings: blocking });
  }
  for (const { id, severity } of findings) {
    const key = `${severity} ${id}`;
    const rule = tally.rules.get(key) ?? { severity, findings: 0, commits: new Set() };
    rule.findings += 1;
    rule.commits.add(sha);
    tally.rules.set(key, rule);
  }
}

const PRIVATE_KEY = 'secret-private-key';
const BLOCKING: ReadonlySet<string> = new Set(defaultRules.pipeline.block_severities);

const COLUMNS = [
  'repository',
  'commits',
  'not judged',
  'added lines',
  'MB',
  'blocked',
  'blocked, %',
  'vuln-*',
  'vuln-* per 10,000 added lines',
  'secret-*',
  `secret-* per ${SECRETS_MB} MB`,
  'private keys',
  `others per ${SECRETS_MB} MB`,
  'different secrets',
];

function rowOf(name: string, tally: Tally): Cell[] {
  const { blockedPercent, vulnPer10kLines, ...perMb } = ratesOf(tally);
  return [
    name,
    tally.commits,
    tally.unjudged.length,
    tally.added,
    tally.bytes / 1e6,
    tally.blocked.length,
    blockedPercent,
    tally.vulns,
    vulnPer10kLines,
    tally.secrets,
    perMb.secretsPer180Mb,
    tally.privateKeys,
    perMb.otherSecretsPer180Mb,
    tally.values.size,
  ];
}

function ratesOf({ commits, bytes, added, blocked, vulns, secrets, privateKeys }: Tally) {
  const per180Mb = (count: number) => (count * SECRETS_MB * 1e6) / bytes;
  return {
    blockedPercent: (blocked.length * 100) / commits,
    vulnPer10kLines: (vulns * 10_000) / added,
    secretsPer180Mb: per180Mb(secrets),
    otherSecretsPer180Mb: per180Mb(secrets - privateKeys),
  };
}

function topRules({ rules }: Tally): Table {
  const ranked = [...rules].sort(([, a], [, b]) => b.commits.size - a.commits.size);
  const isBlocking = ({ severity }: RuleCount) => BLOCKING.has(severity);
  const blocking = ranked.filter(([, rule]) => isBlocking(rule)).slice(0, TOP_RULES);
  const other = ranked.filter(([, rule]) => !isBlocking(rule)).slice(0, TOP_RULES);
  return {
    columns: ['severity and rule', 'findings', 'commits'],
    rows: [...blocking, ...other].map(([key, rule]) => [key, rule.findings, rule.commits.size]),
  };
}

function unjudgedTable({ unjudged }: Tally): Table {
  return {
    columns: ['repository', 'commit', 'not judged because'],
    rows: unjudged.map(({ repo, sha, error }) => [
      repo,
      sha.slice(0, SHA_DIGITS),
      oneLine(error, 400),
    ]),
  };
}

function listing(commits: readonly Listed[]): Table {
  return {
    columns: ['repository', 'commit', 'rule', 'where', 'excerpt'],
    rows: commits.flatMap(({ repo, sha, findings }) =>
      findings.length === 0
        ? [[repo, sha.slice(0, SHA_DIGITS), 'above the limit for a diff', '', '']]
        : findings.map(({ id, file, line, excerpt, message }) => [
            repo,
            sha.slice(0, SHA_DIGITS),
            id,
            `${file ?? ''}:${line ?? ''}`,
            oneLine(excerpt ?? message),
          ]),
    ),
  };
}

const EXCERPT_CHARS = 120;

function oneLine(text: string, charsMax = EXCERPT_CHARS): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, charsMax);
}
