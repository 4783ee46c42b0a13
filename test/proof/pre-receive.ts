import { join } from 'node:path';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import type { Site } from '../cli/fixtures/pre-receive-host.ts';
import { openHttpSite, openSshSite } from '../cli/fixtures/push-sites.ts';
import type { Teardown } from '../daemon.ts';
import { buildGitea, startGitea } from './gitea-host.ts';
import {
  crowd,
  duration,
  forms,
  hostile,
  killed,
  large,
  manyTags,
  openScene,
  type Scene,
  withoutJudgement,
} from './pre-receive-steps.ts';

const SITES = { 'http-backend': openHttpSite, sshd: openSshSite, Gitea: openGiteaSite } as const;
type Name = keyof typeof SITES;

const STEPS: readonly (readonly [title: string, step: (scene: Scene) => Promise<void>])[] = [
  ['new branch, force push, tag, deletion, bypass', forms],
  ['a secret behind NUL, merges, attributes, names, notes, 1 MB of push options', hostile],
  [
    'daemon stopped, without a socket, slow, broken within its answer; open and closed',
    withoutJudgement,
  ],
  ['daemon killed while it has the question, 10 times', killed],
  ['25 MB, and 40 MB', large],
  ['10,000 annotated tags (Gitea: 300)', manyTags],
  ['100 pushes at once', crowd],
];

const PUSHES = 60;
/** Of the time of a bare node, at p95. */
const RATIO_MAX = 6;

/** Pushes through real hosts (--only sshd), each with `cra pre-receive` as its hook. */
export async function run({ only, count, progress }: RunOptions): Promise<Report> {
  const names = (Object.keys(SITES) as Name[]).filter((n) => only.length === 0 || only.includes(n));
  const rows: string[][] = STEPS.map(([title]) => [title]);
  const times: (string | number)[][] = [];
  const faults: string[] = [];
  let isQuick = true;
  for (const name of names) {
    const undo: (() => unknown)[] = [];
    const t: Teardown = { teardown: (step) => undo.push(step) };
    try {
      if (name === 'Gitea') buildGitea(progress);
      const scene = await openScene(t, await SITES[name](t));
      for (const [index, [title, step]] of STEPS.entries()) {
        progress(`${name}: ${title}`);
        const fault = await step(scene).then(() => null, asText);
        rows[index]?.push(fault === null ? 'as it should' : 'NOT');
        if (fault !== null) faults.push(`${name}, ${title}: ${fault}`);
      }
      progress(`${name}: duration`);
      const { hook, bare } = await duration(scene, count ?? PUSHES);
      const ratio = hook / bare;
      isQuick &&= ratio <= RATIO_MAX;
      times.push([name, hook, bare, ratio]);
    } finally {
      for (const step of undo.reverse()) await step();
    }
  }
  return {
    title: 'Pushes through real hosts, with `cra pre-receive` as their hook',
    facts: [
      'http-backend: git behind HTTP; sshd: that of Debian, as the current user; Gitea 1.24.6 from its Go module, hook in `hooks/pre-receive.d`',
      'the hook asks over the Unix socket; after each step the trail has one entry for each push that was refused, bypassed or not judged, and no other',
      `duration: ${count ?? PUSHES} pushes of 10 KB, the hook from start to end, and \`node -e 0\` after each`,
    ],
    tables: [
      { columns: ['pushes', ...names], rows },
      { columns: ['host', 'hook, p95 (ms)', 'bare node, p95 (ms)', 'ratio'], rows: times },
    ],
    notes: [...faults.map((fault) => `FAULT: ${fault}`), `the ratio must be at most ${RATIO_MAX}`],
    holds: faults.length === 0 && isQuick,
  };
}

function asText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A repository of a real Gitea; the hook stands beside those of Gitea. */
async function openGiteaSite(t: Teardown): Promise<Site> {
  const gitea = await startGitea();
  t.teardown(gitea.stop);
  const { url, token, user, repositories } = gitea;
  await gitea.call('POST', 'user/repos', { name: 'shop', default_branch: 'main' });
  const dir = join(repositories, user, 'shop.git');
  const to = `${url.replace('//', `//${user}:${token}@`)}/${user}/shop.git`;
  const hook = join('pre-receive.d', 'cra');
  return { name: 'Gitea', dir, to, hook, pusher: user, repoName: `${user}/shop` };
}
