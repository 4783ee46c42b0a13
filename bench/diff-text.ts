import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createCancelFlag } from '../src/core/deadline.ts';
import { parseDiff } from '../src/diff/parse.ts';
import { prepareRules } from '../src/gates/patterns/compile.ts';
import { runScan } from '../src/gates/patterns/scan.ts';
import { defaultRules } from '../src/rules/default.ts';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';

const FINGERPRINT_KEY = randomBytes(32);

/**
 * Gate 1 with its parse over files of `git log -p`, commit by commit: one pass, all that the
 * process costs from its start, to stand beside tools that are measured as whole processes.
 */
export function run(options: RunOptions): Promise<Report> {
  if (options.data === null) throw new TypeError('diff-text needs --data FOLDER of .diff files');
  // As scan threads do: the build has checked the built-in rules.
  const rules = prepareRules(defaultRules);
  const names = readdirSync(options.data).filter((name) => name.endsWith('.diff'));
  const counts = { bytes: 0, commits: 0, secrets: 0, all: 0 };
  for (const name of names) {
    const text = readFileSync(join(options.data, name));
    counts.bytes += text.length;
    for (const commit of cutCommits(text)) {
      const { files } = parseDiff(commit);
      counts.commits += 1;
      if (files.length === 0) continue;
      const cancel = createCancelFlag();
      const input = { bytes: commit, files, rules, fingerprintKey: FINGERPRINT_KEY, cancel };
      const ids = runScan(input)
        .report.findings()
        .map(({ id }) => id);
      counts.all += ids.length;
      counts.secrets += ids.filter((id) => id.startsWith('secret-')).length;
    }
  }
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const megabytes = counts.bytes / 1e6;
  return Promise.resolve({
    title: 'Gate 1 over the text of git log -p',
    facts: [
      `${names.join(', ')} of ${basename(options.data)}; ${rules.rules.length} built-in rules`,
    ],
    tables: [
      {
        columns: ['MB', 'commits', 'CPU s', 'MB/CPU-s', 'RSS max, MB', 'secret-*', 'all findings'],
        rows: [
          [
            megabytes,
            counts.commits,
            cpuSeconds,
            megabytes / cpuSeconds,
            (process.resourceUsage().maxRSS * 1024) / 1e6,
            counts.secrets,
            counts.all,
          ],
        ],
      },
    ],
    notes: ['CPU and memory of the process from its start, compiling the rules included'],
    holds: true,
  });
}

const HEAD = Buffer.from('\ncommit ');

/** The text of each commit: git indents messages, so a line that begins so is no message. */
function* cutCommits(text: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < text.length) {
    const next = text.indexOf(HEAD, start);
    const end = next < 0 ? text.length : next + 1;
    yield text.subarray(start, end);
    start = end;
  }
}
