import fc from 'fast-check';
import { MAIN, type World } from './world.ts';

/** One thing that happens; `a` and `b` choose among what there is. */
export interface Move {
  kind: (typeof KINDS)[number];
  a: number;
  b: number;
  isBad: boolean;
}

const KINDS = [
  'commit',
  'commit',
  'passing',
  'force',
  'branch',
  'merge',
  'squash',
  'squash',
  'pick',
  'rebase',
  'rebase',
  'rename',
  'transfer',
  'remove',
  'delete',
  'deliver',
  'deliver',
  'lose',
  'replay',
  'judge',
  'judge',
  'settle',
  'settle',
  'die',
  'outage',
  'override',
  'override',
  'reject',
  'erase',
  'revoke',
  'sweep',
  'land',
] as const;

export const MOVES = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    a: fc.nat(1000),
    b: fc.nat(1000),
    isBad: fc.nat(3).map((n) => n === 0),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

const step = (kind: Move['kind'], a = 0, b = 0): Move => ({ kind, a, b, isBad: kind === 'commit' });

const GREEN = { ...step('commit'), isBad: false };

/** One that is green, and those that random runs found, as short as they are still wrong. */
export const FOUND: [Move[]][] = [
  [[{ ...step('commit'), isBad: false }, step('settle')]],
  // Forced back to the middle of three pushes, the last of which is delivered first.
  [[step('commit'), step('commit'), step('force', 0, 3), step('deliver', 2), step('settle')]],
  // The same, and the webhook of what was there meanwhile is lost.
  [
    [
      ...[step('commit'), step('commit'), step('lose', 1), step('force', 0, 3)],
      ...[step('deliver', 1), step('settle')],
    ],
  ],
  // A push of no commits passed on the baseline, and another branch is moved back below that.
  [
    [
      ...[{ ...step('branch'), isBad: true }, step('deliver'), step('judge')],
      ...[step('force', 1, 2), step('force', 0, 1), step('settle')],
    ],
  ],
  // Forced back to where it began, delivered first; then a branch of what was there meanwhile.
  [[step('commit'), step('force', 0, 2), step('deliver', 1), step('settle'), step('branch', 0, 3)]],
  // What was taken out is put in again and taken out; webhooks of that come when it was adopted.
  [
    [
      ...[step('pick'), { ...step('commit'), isBad: false }, step('remove', 0, 3)],
      ...[{ ...step('land'), isBad: true }, step('deliver', 1), step('judge')],
    ],
  ],
  // A commit is rejected, its RFC deleted, and a branch made on it.
  [
    [
      ...[GREEN, step('settle'), GREEN, step('settle'), step('reject', 0, 1), step('erase')],
      ...[step('branch', 0, 4), step('settle')],
    ],
  ],
];

/** The repository before the service knew of it: what is bad in it counts as accepted. */
export function found({ host }: World): void {
  const root = host.commit([], ['readme', 'bad-old']);
  const next = host.commit([root], ['readme', 'code']);
  host.refs.set(MAIN, host.commit([next], ['readme', 'code', 'more']));
}

export async function act(world: World, move: Move): Promise<void> {
  if (!changeHost(world, move)) await useService(world, move);
}

/** What people do at the host; false: another action. */
function changeHost(world: World, { kind, a, b, isBad }: Move): boolean {
  const { host } = world;
  const refs = [...host.refs.keys()].sort();
  const ref = refs[a % refs.length] ?? MAIN;
  const head = host.refs.get(ref) ?? '';
  const all = [...host.commits.keys()];
  const any = all[b % all.length] ?? '';
  const word = `${isBad ? 'bad' : 'word'}-${host.commits.size}`;
  const onto = (parent: string, tree: Iterable<string>) => host.commit([parent], tree);
  const told = (name: string, sha: string) => world.onTheWay.push(world.push(name, sha));
  const other = host.refs.get(refs[b % refs.length] ?? MAIN) ?? '';
  const changes: Partial<Record<Move['kind'], () => unknown>> = {
    commit: () => told(ref, onto(head, [...host.tree(head), word])),
    // Added by one commit, and taken out by the next.
    passing: () => told(ref, onto(onto(head, [...host.tree(head), word]), host.tree(head))),
    remove() {
      const gone = [...host.tree(head)][b % 5];
      told(
        ref,
        onto(
          head,
          [...host.tree(head)].filter((each) => each !== gone),
        ),
      );
    },
    force: () => told(ref, any),
    // Some have their turn before the default branch, some after it.
    branch: () =>
      told(
        `refs/heads/${a % 2 === 0 ? 'b' : 'n'}${a % 4}`,
        isBad ? onto(any, [...host.tree(any), word]) : any,
      ),
    merge() {
      if (head === other) return;
      const tree = [...host.tree(head), ...host.tree(other), ...(isBad ? [word] : [])];
      told(ref, host.commit([head, other], tree));
    },
    // The whole of another branch as one commit, as git merges it.
    squash() {
      const tree = head === other ? null : host.merge(head, other);
      if (tree !== null) told(ref, onto(head, [...tree, ...(isBad ? [word] : [])]));
    },
    // The commits of another branch again, each on top of the one before.
    rebase() {
      const line = host.newOf(other, head);
      const tip = line.reduce((onto, sha) => host.again(sha, onto), head);
      if (tip !== head) told(ref, tip);
    },
    transfer() {
      world.name = `team-${b % 3}/shop`;
    },
    // One commit of any branch again.
    pick: () => told(ref, host.again(any, head)),
    rename() {
      if (ref === MAIN) return;
      host.refs.delete(ref);
      told(`refs/heads/r${b % 3}`, head);
    },
    delete: () => ref !== MAIN && host.refs.delete(ref),
    outage() {
      host.isUp = b % 3 > 0;
    },
  };
  changes[kind]?.();
  return kind in changes;
}

/** What the service is told and does. */
async function useService(world: World, { kind, a, b, isBad }: Move): Promise<void> {
  const { host, onTheWay, sent } = world;
  const hook = onTheWay[a % Math.max(1, onTheWay.length)];
  if (kind === 'deliver' && hook) await world.deliver(take(onTheWay, hook));
  if (kind === 'lose' && hook) take(onTheWay, hook);
  if (kind === 'judge') await world.step();
  if (kind === 'sweep' && host.isUp) await world.sweep();
  if (kind === 'replay') {
    const old = sent[a % Math.max(1, sent.length)];
    if (old && !onTheWay.includes(old)) await world.deliver(old);
  }
  if (kind === 'settle') {
    for (const each of onTheWay.splice(0)) await world.deliver(each);
    await world.drain();
  }
  if (kind === 'die') {
    host.diesAfter = b % 8;
    if (isBad) await world.revoke();
    else await world.step();
    host.diesAfter = null;
  }
  if (kind === 'erase') {
    const records = world.erasable();
    const record = records[b % Math.max(1, records.length)];
    if (record) await world.erase(record);
  }
  if (kind === 'revoke') await world.revoke();
  if (kind === 'land' && host.isUp) await land(world, { a, b, isBad });
  if (kind === 'override' || kind === 'reject') {
    const records = world.live();
    const blocked = records.filter(({ overall_status }) => overall_status === 'BLOCKED');
    const among = kind === 'override' && blocked.length > 0 ? blocked : records;
    const record = among[b % Math.max(1, among.length)];
    if (record) await world.decide(record, kind);
    // Else later, and others judge meanwhile.
    if (!isBad) await world.revoke();
  }
}

/** A branch is blocked, somebody lets it pass, and it lands on the default branch. */
async function land(world: World, { a, b, isBad }: Omit<Move, 'kind'>): Promise<void> {
  const { host } = world;
  const branch = `refs/heads/f${a % 2}`;
  const words = Array.from({ length: 1 + (a % 3) }, (_, n) => `bad-${host.commits.size}-${n}`);
  const tip = words.reduce(
    (onto, word) => host.commit([onto], [...host.tree(onto), word]),
    host.refs.get(MAIN) ?? '',
  );
  await world.deliver(world.push(branch, tip));
  await world.drain();
  const made = [...world.known.values()].filter(({ commit_sha }) => commit_sha === tip);
  const blocked = made.find(({ overall_status }) => overall_status === 'BLOCKED');
  if (blocked) await world.decide(blocked, 'override');
  // Others land before it.
  if (b % 2 === 0) changeHost(world, { kind: 'commit', a: placeOf(MAIN), b, isBad: false });
  const kind = (['squash', 'merge', 'rebase'] as const)[b % 3] ?? 'merge';
  changeHost(world, { kind, a: placeOf(MAIN), b: placeOf(branch), isBad });
  const hook = world.onTheWay.at(-1);
  if (hook) await world.deliver(take(world.onTheWay, hook));
  await world.drain();

  function placeOf(ref: string): number {
    return [...host.refs.keys()].sort().indexOf(ref);
  }
}

function take<Item>(items: Item[], item: Item): Item {
  items.splice(items.indexOf(item), 1);
  return item;
}
