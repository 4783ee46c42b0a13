import test from 'ava';
import type { StopSignal } from '../../src/core/deadline.ts';
import { createRevertWatch } from '../../src/deploys/revert-watch.ts';
import { type DeployReport, OUTCOMES, placeKey } from '../../src/model/deploy.ts';
import { CraError } from '../../src/model/errors.ts';
import type { FoundRevert } from '../../src/rpc/source-contract.ts';
import type { PushedRepository } from '../../src/store/contract/pushes.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const NOW = new Date(NOW_MS).toISOString();
/** When the service saw the push of HEAD. */
const SEEN = '2026-11-21T11:00:00.000Z';
const [BAD = '', BETWEEN = '', PUSHED = '', HEAD = ''] = ['a', 'b', 'c', 'd'].map((digit) =>
  digit.repeat(40),
);

/** The history BAD, BETWEEN, PUSHED, HEAD, oldest first; the last two are accepted. */
function openWatch(reverts: readonly FoundRevert[], isWhole = true) {
  const line = [HEAD, PUSHED, BETWEEN, BAD];
  const reports = new Map<string, DeployReport>();
  const entries = new Map<string, string>();
  const errors: string[] = [];
  const state = { head: HEAD, name: 'acme/shop', isAway: false, looks: 0, onAncestry() {} };
  const signals = new Set<StopSignal | null | undefined>();
  const watch = createRevertWatch({
    async *listRepositories() {
      const push = { host: 'git', default_branch: 'main' };
      const names = { repo_name: state.name, repo_full_name: state.name };
      const record = { ...names, push } as PushedRepository['record'];
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
      async getRfc({ rfc_id }) {
        if (rfc_id === 'RFC-3') throw new CraError('NOT_FOUND', 'it was deleted');
        const json = Buffer.from(JSON.stringify({ rfc_id, created_at: SEEN }));
        return { overall_status: 'PASSED', rev: 1, json };
      },
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
      async reportsOf({ place, sha, result, limit }) {
        const found = [...reports.values()].filter((one) => {
          return placeKey(one) === place && one.sha === sha && one.result === result;
        });
        return { reports: found.slice(0, limit) };
      },
    },
    trail: {
      async appendEvent({ event }) {
        const text = JSON.stringify([event.repo_name, event.details]);
        const known = entries.get(event.op_id) ?? text;
        if (known !== text) throw new CraError('ALREADY_EXISTS', 'another event');
        const replayed = entries.has(event.op_id);
        entries.set(event.op_id, text);
        return { chain: 'c', seq: entries.size, replayed };
      },
    },
    source: {
      async reverts(_, options) {
        signals.add(options?.signal);
        state.looks += 1;
        return { reverts: [...reverts], isWhole };
      },
      ancestry: async ({ without = [] }, options) => {
        signals.add(options?.signal);
        state.onAncestry();
        const end = line.indexOf(without[0] ?? '');
        return { shas: line.slice(0, end === -1 ? undefined : end), hasMore: false };
      },
      isAncestor: async ({ one, other }, options) => {
        signals.add(options?.signal);
        return { is_ancestor: line.indexOf(one) >= line.indexOf(other) };
      },
    },
    onError: (error) => errors.push(error.code),
    clock: { now: () => NOW_MS, after: () => () => undefined },
  });
  return { watch, reports, entries, errors, state, signals };
}

test('a revert is noted once, with the first accepted push that has the commit', async (t) => {
  const { watch, reports, entries, errors, state } = openWatch([
    { sha: BAD, by: HEAD, how: 'patch' },
    { sha: HEAD, by: PUSHED, how: 'message' },
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
    // When the service saw the push, whatever its commit says; without its RFC: when found.
    ['acme', BAD, 'RFC-3', HEAD, 'patch', SEEN, ''],
    ['acme', HEAD, 'RFC-4', PUSHED, 'message', NOW, ''],
  ]);
  t.is(entries.size, 2);
  t.deepEqual(errors, []);
});

test('a look that fails comes again, and says what it did not look at', async (t) => {
  const { watch, reports, entries, errors, state } = openWatch(
    [{ sha: BAD, by: HEAD, how: 'patch' }],
    false,
  );
  state.isAway = true;
  await watch.look();
  t.deepEqual([reports.size, entries.size, errors], [0, 1, ['UNAVAILABLE']]);
  state.isAway = false;
  await watch.look();
  t.deepEqual([reports.size, entries.size, errors], [1, 1, ['UNAVAILABLE', 'OUT_OF_RANGE']]);
});

test('a known revert that is found in another way, or under another name, stops no other', async (t) => {
  const reverts: FoundRevert[] = [{ sha: BAD, by: HEAD, how: 'patch' }];
  const { watch, reports, entries, errors, state } = openWatch(reverts);
  await watch.look();
  reverts.splice(0, 1, { sha: BAD, by: HEAD, how: 'message' });
  reverts.push({ sha: BETWEEN, by: HEAD, how: 'message' });
  state.head = PUSHED;
  await watch.look();
  t.deepEqual(errors, []);
  const told = () => [...reports.values()].map(({ repo, sha, how }) => [repo, sha, how]);
  t.deepEqual(told(), [
    ['acme/shop', BAD, 'patch'],
    ['acme/shop', BETWEEN, 'message'],
  ]);
  state.name = 'acme/store';
  state.head = HEAD;
  await watch.look();
  t.deepEqual(errors, []);
  // The ledger keeps places by name.
  t.deepEqual(told().slice(2), [
    ['acme/store', BAD, 'message'],
    ['acme/store', BETWEEN, 'message'],
  ]);
  t.is(entries.size, 4);
});

test('one look notes a bounded number of reverts, and the next one goes on', async (t) => {
  const reverts = Array.from({ length: OUTCOMES.REVERTS_NOTED_MAX + 1 }, (_, index) => {
    return { sha: `${index}`.padStart(40, '0'), by: HEAD, how: 'message' } as const;
  });
  const { watch, reports, errors, state } = openWatch(reverts);
  await watch.look();
  t.deepEqual([reports.size, errors], [OUTCOMES.REVERTS_NOTED_MAX, ['OUT_OF_RANGE']]);
  await watch.look();
  t.is(reports.size, reverts.length);
  await watch.look();
  t.deepEqual([state.looks, errors.length], [2, 1]);
});

test('a stop ends the reads of git, and nothing more is noted', async (t) => {
  const reverts = [BAD, BETWEEN].map((sha) => ({ sha, by: HEAD, how: 'patch' }) as const);
  const { watch, reports, errors, state, signals } = openWatch(reverts);
  let stopped: Promise<void> | null = null;
  state.onAncestry = () => {
    stopped ??= watch.stop();
  };
  await watch.look();
  await stopped;
  t.true(reports.size <= 1);
  t.deepEqual(errors, []);
  t.deepEqual(
    [...signals].map((signal) => signal?.aborted),
    [true],
  );
});
