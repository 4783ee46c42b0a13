import { execFileSync } from 'node:child_process';

/**
 * With which cases a run of ava begins where it takes some of many (test/some-cases.ts): it changes
 * with each commit and, as a shallow clone has one commit, with each day. It is printed, and
 * `CASES_FROM` sets it, to repeat a run.
 */
export function casesFrom() {
  const day = Math.floor(Date.now() / 86_400_000);
  const from = process.env.CASES_FROM ?? String(numberOfCommits() + day);
  if (!/^\d{1,9}$/.test(from)) throw new Error(`CASES_FROM must be a whole number, not ${from}`);
  // Knip reads the configuration of ava as well.
  if (process.argv[1]?.includes('ava')) process.stderr.write(`CASES_FROM=${from}\n`);
  return from;
}

function numberOfCommits() {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return Number(execFileSync('git', ['rev-list', '--count', 'HEAD'], options));
  } catch {
    return 0;
  }
}
