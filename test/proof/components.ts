import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { createRulesCache } from '../../src/analysis/worker/rules-cache.ts';
import { createAnalysisService } from '../../src/analysis/worker/service.ts';
import { NO_SECRETS } from '../../src/core/known-secrets.ts';
import { createProdCheck } from '../../src/heads/prod-check.ts';
import { type Component, componentMap, type EarlierMaps } from '../../src/model/components.ts';
import { CraError } from '../../src/model/errors.ts';
import type { RuleSet } from '../../src/model/rules.ts';
import { connectInProcess } from '../../src/rpc/channel.ts';
import { Analysis, type Syntax } from '../../src/rpc/contract.ts';
import { type Client, createClient, createServer, implement } from '../../src/rpc/service.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { startMongod } from '../mongod/mongod.ts';
import { openRealHost, type RealHost } from '../pushes/checked-host.ts';
import { unserved } from '../pushes/unserved.ts';
import { REPO, TENANT, World } from '../pushes/world.ts';
import { type Harness, NOW } from '../store/conformance/steps.ts';
import { openHarness as openMongoHarness } from '../store/mongo/harness.ts';
import { inMemory, openHarness } from '../store/sqlite/harness.ts';
import {
  BRANCHES,
  type Event,
  type Mono,
  makeHistory,
  PARTS,
  type Step,
} from './component-history.ts';

const HISTORIES = 40;
const FAULTS_SHOWN = 20;
const FILTER_REPO = 'git-filter-repo==2.47.0';

/**
 * Components beside a perfect oracle: `git filter-repo` makes each component of a random history a
 * repository of its own, whose pushes and decisions the service is told as those of another one.
 * After each of them prod-check of the component must not allow what prod-check of that repository
 * refuses. On SQLite, or on the stores of `--only`, whose answers must be the same then.
 */
export async function run({ count, seed, only, progress }: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const filter = installFilter(temporary.path);
  const names = STORES.filter((name) => (only.length === 0 ? ['SQLite'] : only).includes(name));
  const stores = await Promise.all(names.map(openStores));
  const counts: Record<string, number> = {};
  const add = (name: string, more = 1) => {
    counts[name] = (counts[name] ?? 0) + more;
  };
  const faults: string[] = [];
  const histories = count ?? HISTORIES;
  try {
    for (let at = 0; at < histories; at += 1) {
      const own_seed = seed + at;
      const found: string[] = [];
      const told: string[] = [];
      for (const store of stores) {
        const history = await compareHistory(own_seed, { ...store, filter, add });
        found.push(...history.faults);
        told.push(JSON.stringify(history.steps.map(({ event, answers }) => [event.told, answers])));
      }
      if (told.some((one) => one !== told[0])) found.push('the stores answer differently');
      faults.push(...found.map((fault) => `seed ${own_seed}: ${fault}`));
      if (found.length > 0) add('histories with a fault');
      progress(
        `components: ${at + 1}, seed ${own_seed}, ${faults.length} lax, ${counts['strict'] ?? 0} strict`,
      );
      for (const fault of found) progress(fault);
    }
  } finally {
    for (const store of stores) await store.close();
    temporary.remove();
  }
  const rows = Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    title: 'Components beside repositories of their own',
    facts: [
      `${histories} random histories from seed ${seed}, ${PARTS.length} components each; real git, gate 1, ` +
        `queue and store (${names.join(', then ')}) in this process, three rules; ${FILTER_REPO}`,
      'after each push, decision and change of the map: prod-check of the component beside that ' +
        'of its repository, by default, for main and for side',
    ],
    tables: [{ columns: ['what', 'times'], rows }],
    notes: [...NOTES, ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`)],
    holds: faults.length === 0,
  };
}

/** How to read the result. */
const NOTES = [
  'equal: the same answer; strict: the component is refused, its repository is not; lax: the ' +
    'reverse, which is a fault. docs/how-to/monorepo.md, "Where a component differs", says where it is strict',
  'left out: secrets in commit messages; more than 16 ranges in one push',
  'modelled: a decision about an RFC is told to the repository of each component that the RFC lists',
];

/** A tool that cannot be had is a failure. */
function installFilter(path: string): string {
  const target = join(path, 'filter-repo');
  execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, FILTER_REPO], {
    stdio: 'pipe',
  });
  return join(target, 'git_filter_repo.py');
}

const STORES = ['SQLite', 'MongoDB'] as const;

/** Two empty stores of a kind: the whole, and the repositories of their own. */
async function openStores(name: (typeof STORES)[number]) {
  // The harness empties capped collections, which is a command for tests.
  const args = ['--setParameter', 'enableTestCommands=1'];
  const mongod = name === 'MongoDB' ? await startMongod({ args }) : null;
  const open = () =>
    mongod === null ? openHarness(() => NOW) : openMongoHarness(() => NOW, mongod);
  const mono = await open();
  const own = await open();
  const close = async () => {
    await mono.close();
    await own.close();
    await mongod?.stop();
  };
  return { mono, own, close };
}

interface Compared {
  mono: Harness;
  own: Harness;
  filter: string;
  add(name: string, more?: number): void;
}

/** Plays one history, then each component of it as a repository of its own. */
async function compareHistory(
  seed: number,
  parts: Compared,
): Promise<{ faults: string[]; steps: readonly Step[] }> {
  const random = createRandom(seed);
  await parts.mono.clear();
  const mono = await openMono(parts.mono, `${seed}`);
  const faults: string[] = [];
  try {
    const { steps, isShared } = await makeHistory(random, mono);
    for (const { event } of steps) parts.add(event.what);
    for (const part of PARTS) {
      await parts.own.clear();
      const paths = isShared ? [part, 'shared'] : [part];
      const fault = await compareComponent(mono, { steps, part, paths, seed }, parts);
      if (fault !== null) faults.push(fault);
    }
    return { faults, steps };
  } finally {
    await mono.host.close();
  }
}

/** A repository with components on a store. */
async function openMono(harness: Harness, run: string): Promise<Mono> {
  const host = await openRealHost();
  const rules = { revision: `r ${run} 0`, rules: RULES as RuleSet };
  const stored = new Map<string, readonly Component[]>();
  const earlier: EarlierMaps = async ({ rules_revision, repo_name }) =>
    componentMap({ components: stored.get(rules_revision) ?? [] }, repo_name);
  const world = openWorld(harness, { host, run: `mono ${run}`, rules, earlier });
  return {
    host,
    world,
    setMap(components) {
      rules.rules = { ...RULES, components };
      rules.revision = `r ${run} ${JSON.stringify(components)}`;
      stored.set(rules.revision, components);
    },
    ask: (question) => ask(harness, question, () => rules.rules, earlier),
  };
}

interface WorldParts {
  host: RealHost;
  run: string;
  rules: { revision: string; rules: RuleSet };
  earlier?: EarlierMaps;
}

function openWorld(harness: Harness, { run, ...parts }: WorldParts): World {
  return new World(harness, NOW, { ...parts, repositoryId: run, run, analysis: realGates() });
}

/** Gate 1 with the rule that secrets stay readable, and one whose finding can be taken out. */
const RULES: RuleSet = {
  version: 1,
  secret_patterns: defaultRules.secret_patterns.filter(
    ({ id }) => id === 'secret-aws-access-key-id',
  ),
  risk_patterns: [
    {
      id: 'risk-acme-kill-switch',
      description: 'The kill switch',
      severity: 'high',
      regex: 'KILL_SWITCH',
      keywords: ['kill_switch'],
      message: 'the kill switch changes',
      fix: 'Ask.',
      source: 'https://wiki.example/kill-switch',
      examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill'] },
    },
  ],
  vulnerability_patterns: defaultRules.vulnerability_patterns.slice(0, 1),
  allowlists: [],
  pipeline: { block_severities: ['critical', 'high'], block_score: null },
};

function realGates(): Client<typeof Analysis> {
  const service = createAnalysisService({
    rules: createRulesCache(),
    fingerprintKey: new Uint8Array(32).fill(1),
    sealKey: new Uint8Array(32).fill(2),
    ownSecrets: NO_SECRETS,
    registry: null,
    // Text files have no syntax.
    syntax: unserved<Client<typeof Syntax>>(['inspect']),
    accepted: null,
    trees: null,
    now: () => new Date(NOW),
  });
  return createClient(Analysis, connectInProcess(createServer([implement(Analysis, service)])));
}

async function ask(
  { pushes, trail, store: records }: Harness,
  question: { component: string | null; branch: string | null },
  rules: () => RuleSet,
  earlier?: EarlierMaps,
): Promise<string> {
  const stores = { pushes, trail, records };
  const check = createProdCheck(stores, () => 'http://cra.example', rules, earlier);
  const principal = { tenant_id: TENANT } as Parameters<typeof check>[0];
  try {
    const { allowed } = await check(principal, { repo: REPO, sha: null, ...question });
    return allowed ? 'allowed' : 'refused';
  } catch (thrown) {
    if (CraError.fromUnknown(thrown).code === 'NOT_FOUND') return 'unknown';
    throw thrown;
  }
}

interface Part {
  steps: readonly Step[];
  part: string;
  paths: readonly string[];
  seed: number;
}

/** The first answer that allows what the repository of the component refuses; null: none. */
async function compareComponent(
  { host: from }: Mono,
  { steps, part, paths, seed }: Part,
  { own, filter, add }: Compared,
): Promise<string | null> {
  const host = await openRealHost();
  const filtered = filterBy(from.repository.dir, { steps, paths, filter });
  try {
    const rules = { revision: 'own', rules: RULES };
    const world = openWorld(own, { host, run: `${part} ${seed}`, rules });
    writeFileSync(join(host.repository.dir, 'objects/info/alternates'), `${filtered.objects}\n`);
    /** Of each push of the whole the RFC that this repository has then of that ref. */
    const rfcs = new Map<number, string>();
    const newest = new Map<string, string>();
    for (const [at, { event, answers }] of steps.entries()) {
      await tell(event, at);
      for (const [index, branch] of BRANCHES.entries()) {
        const is = answers[part]?.[index];
        const wanted = await ask(own, { component: null, branch }, () => RULES);
        add(`answers: ${wanted}`);
        const isLax = is === 'allowed' && is !== wanted;
        add(is === wanted ? 'equal' : isLax ? 'lax' : 'strict');
        if (!isLax) continue;
        const where = branch ?? 'by default';
        return `${part}, ${where}: ${is}, its repository ${wanted}, after ${at} ${storyOf(steps, at)}`;
      }
    }
    return null;

    async function tell(event: Event, at: number): Promise<void> {
      if (event.kind === 'push') {
        const { ref } = event;
        const sha = filtered.shas.get(at) ?? '';
        if (host.refs.get(ref) !== sha) {
          host.repository.git('update-ref', ref, sha);
          const known = new Set(world.known.keys());
          await world.deliver(world.push(ref, sha));
          await world.drain();
          const id = [...world.known.keys()].find((each) => !known.has(each));
          if (id !== undefined) newest.set(ref, id);
          add('pushes to repositories of their own');
        }
        rfcs.set(at, newest.get(ref) ?? '');
      } else if (event.kind === 'decide' && event.listed.includes(part)) {
        const record = world.known.get(rfcs.get(event.push) ?? '');
        if (record === undefined) return;
        await world.decide(record, event.action);
        await world.drain();
      }
    }
  } finally {
    await host.close();
    filtered.remove();
  }
}

/** What happened so far. */
function storyOf(steps: readonly Step[], until: number): string {
  return steps
    .slice(0, until + 1)
    .map(({ event }, at) => `${at} ${event.what} ${event.told}`)
    .join('; ');
}

/** The commits of each push with these paths alone. */
function filterBy(
  dir: string,
  { steps, paths, filter }: Pick<Part, 'steps' | 'paths'> & { filter: string },
) {
  const parent = mkdtempSync(join(inMemory, 'cra-filtered-'));
  const clone = join(parent, 'clone.git');
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (...args: string[]) => execFileSync('git', args, { env, stdio: 'pipe' }).toString();
  const heads = steps.flatMap(({ event }, at) =>
    event.kind === 'push' ? [[at, event.sha] as const] : [],
  );
  git('clone', '--quiet', '--mirror', '--no-hardlinks', dir, clone);
  for (const [at, sha] of heads) git('-C', clone, 'update-ref', `refs/heads/push-${at}`, sha);
  const args = paths.flatMap((path) => ['--path', path]);
  execFileSync('python3', [filter, '--force', '--quiet', ...args], {
    cwd: clone,
    env,
    stdio: 'pipe',
  });
  const shas = heads.map(([at]) => {
    return [at, git('-C', clone, 'rev-parse', `refs/heads/push-${at}`).trim()] as const;
  });
  return {
    objects: join(clone, 'objects'),
    shas: new Map(shas),
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}
