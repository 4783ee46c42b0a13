import test from 'ava';
import { createRevertWatch } from '../../src/deploys/revert-watch.ts';
import type { DeployReport } from '../../src/model/deploy.ts';
import { CraError } from '../../src/model/errors.ts';
import type { FoundRevert } from '../../src/rpc/source-contract.ts';
import type { PushedRepository } from '../../src/store/contract/pushes.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const [BAD = '', BETWEEN = '', PUSHED = '', HEAD = ''] = ['a', 'b', 'c', 'd'].map((digit) =>
  digit.repeat(40),
);

/** The history BAD, BETWEEN, PUSHED, HEAD, oldest first; the last two are accepted. */
function openWatch(reverts: readonly FoundRevert[], isWhole = true) {
  const line = [HEAD, PUSHED, BETWEEN, BAD];
  const reports = new Map<string, DeployReport>();
  const entries: string[] = [];
  const errors: string[] = [];
  const state = { head: HEAD, isAway: false, looks: 0 };
  const record = {
    repo_name: 'acme/shop',
    repo_full_name: 'acme/shop',
    push: { host: 'git', default_branch: 'main' },
  } as PushedRepository['record'];
  const watch = createRevertWatch({
    async *listRepositories() {
      yield [{ tenant_id: 'acme', repo_key: 'git:1', record }];
    },
    pushes: {
      newestAccepted: async () => ({
        accepted: [{ ref: 'refs/heads/main', sha: state.head, rfc_id: 'RFC-4' }],
      }),
      acceptedHeads: async ({ shas }) => ({
        accepted: [
          { ref: 'refs/heads/main', sha: HEAD, rfc_id: 'RFC-4' },
          { ref: 'refs/heads/main', sha: PUSHED, rfc_id: 'RFC-3' },
        ].filter(({ sha }) => shas.includes(sha)),
      }),
    },
    records: {
      rfcsOfCommit: async ({ commit_sha }) => ({
        rfc_ids: commit_sha === HEAD ? ['RFC-4'] : [],
        has_more: false,
      }),
    },
    deploys: {
      async addReport({ tenant_id, report }) {
        if (state.isAway) throw new CraError('UNAVAILABLE', 'the store is away');
        const key = `${tenant_id} ${report.report_id}`;
        const known = reports.get(key);
        if (known !== undefined) return { report: known, added: false };
        reports.set(key, report);
        return { report, added: true };
      },
    },
    trail: {
      async appendEvent({ event }) {
        const replayed = entries.includes(event.op_id);
        if (!replayed) entries.push(event.op_id);
        return { chain: 'c', seq: entries.indexOf(event.op_id) + 1, replayed };
      },
    },
    source: {
      async reverts() {
        state.looks += 1;
        return { reverts: [...reverts], isWhole };
      },
      ancestry: async ({ without = [] }) => {
        const end = line.indexOf(without[0] ?? '');
        return { shas: line.slice(0, end === -1 ? undefined : end), hasMore: false };
      },
      isAncestor: async ({ one, other }) => ({
        is_ancestor: line.indexOf(one) >= line.indexOf(other),
      }),
    },
    onError: (error) => errors.push(error.code),
    clock: { now: () => NOW_MS, after: () => () => undefined },
  });
  return { watch, reports, entries, errors, state };
}

const at = '2026-11-21T11:00:00.000Z';

test('a revert is noted once, with the first accepted push that has the commit', async (t) => {
  const late = '2027-01-01T00:00:00.000Z';
  const { watch, reports, entries, errors, state } = openWatch([
    { sha: BAD, by: HEAD, at, how: 'patch' },
    { sha: HEAD, by: PUSHED, at: late, how: 'message' },
  ]);
  await watch.look();
  await watch.look();
  t.is(state.looks, 1);
  state.head = PUSHED;
  await watch.look();
  t.is(state.looks, 2);
  const told = [...reports].map(([key, { sha, rfc_id, reverted_by, how, at, environment }]) => {
    return [key.split(' ')[0], sha, rfc_id, reverted_by, how, at, environment];
  });
  t.deepEqual(told, [
    ['acme', BAD, 'RFC-3', HEAD, 'patch', at, ''],
    // No outcome is later than when it was found.
    ['acme', HEAD, 'RFC-4', PUSHED, 'message', new Date(NOW_MS).toISOString(), ''],
  ]);
  t.is(entries.length, 2);
  t.deepEqual(errors, []);
});

test('a look that fails comes again, and says what it did not look at', async (t) => {
  const { watch, reports, entries, errors, state } = openWatch(
    [{ sha: BAD, by: HEAD, at, how: 'patch' }],
    false,
  );
  state.isAway = true;
  await watch.look();
  t.deepEqual([reports.size, entries.length, errors], [0, 1, ['UNAVAILABLE']]);
  state.isAway = false;
  await watch.look();
  t.deepEqual([reports.size, entries.length, errors], [1, 1, ['UNAVAILABLE', 'OUT_OF_RANGE']]);
});
