import test from 'ava';
import { addressDigest, type Principal } from '../../src/model/principal.ts';
import type { Decision, RfcRecord } from '../../src/model/records.ts';
import {
  commitsLifted,
  type ReleaseRequest,
  refusalLeft,
  releaseOf,
  releaseProblem,
  standingRejection,
} from '../../src/model/release.ts';
import { STATUSES } from '../../src/model/rfc.ts';
import { judgedPush, samplePush } from '../store/fixtures/pushes.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

const person = (id: string, over: Partial<Principal> = {}): Principal => ({
  id,
  name: null,
  credential: 'oidc',
  role: 'admin',
  tenant_id: 'default',
  email: `${id}@example.com`,
  ...over,
});
const ANN = person('ann');
const BOB = person('bob');
const CID = person('cid');
const TOKEN = person('t', { credential: 'override-token' });
const AT = '2026-11-21T11:00:00.000Z';

const decisionBy = (principal: Principal, action: Decision['action'], at = AT): Decision => ({
  decision_id: `op-${action}-${at}`,
  action,
  principal,
  actor: 'x',
  reason: 'y',
  at,
  commit_sha: null,
  repo_full_name: null,
});

const blocked = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'BLOCKED', submitted_by: ANN });
const HELD: Record<string, RfcRecord> = {
  DRAFT: { ...blocked, overall_status: 'DRAFT' },
  BLOCKED: blocked,
  REJECTED: { ...blocked, overall_status: 'REJECTED' },
  'held by gate 3': {
    ...blocked,
    gates: { ...blocked.gates, llm: { ...blocked.gates.llm, held: true } },
  },
  unreviewed: {
    ...blocked,
    overall_status: 'OVERRIDDEN',
    override_history: [{ ...decisionBy(BOB, 'override'), emergency: true }],
    emergency: { decision_id: `op-override-${AT}`, due_at: AT, review: 'due' },
  },
};
const FREE = {
  ...Object.fromEntries(
    STATUSES.filter((status) => !(status in HELD)).map((overall_status) => [
      overall_status,
      { ...blocked, overall_status },
    ]),
  ),
  reviewed: {
    ...(HELD['unreviewed'] ?? blocked),
    emergency: { decision_id: 'op', due_at: AT, review: 'confirmed' },
  },
} satisfies Record<string, RfcRecord>;

/** By each kind of what is held, and by each action: whether that releases it. */
const RELEASES: Record<ReleaseRequest['action'], (name: string) => boolean> = {
  override: () => true,
  approve: () => true,
  confirm: () => true,
  reject: () => false,
  object: () => false,
  delete: (name) => name in HELD,
  review: (name) => name === 'held by gate 3',
};

test('a release is known by what holds the change, who releases it, and against whom', (t) => {
  for (const [name, record] of Object.entries({ ...HELD, ...FREE })) {
    for (const [action, isRelease] of Object.entries(RELEASES)) {
      const request = { action: action as ReleaseRequest['action'], principal: CID };
      const expected = {
        by: CID,
        against: { submitter: ANN, overrider: name === 'unreviewed' ? BOB : null },
      };
      const title = `${name}, ${action}`;
      t.deepEqual(releaseOf(record, request), isRelease(name) ? expected : null, title);
    }
  }
});

test('four eyes refuse a release by whom it was held against, and by a token', (t) => {
  const CASES: [
    held: string,
    action: ReleaseRequest['action'],
    by: Principal,
    says: RegExp | null,
  ][] = [
    ['BLOCKED', 'delete', ANN, /this change is your own/],
    ['BLOCKED', 'delete', person('x', { email: 'ANN@example.com' }), /your own/],
    ['BLOCKED', 'delete', { ...ANN, credential: 'session' }, /your own/],
    ['BLOCKED', 'delete', TOKEN, /names no person/],
    ['BLOCKED', 'delete', CID, null],
    ['REJECTED', 'delete', ANN, /your own/],
    ['DRAFT', 'delete', ANN, /your own/],
    ['unreviewed', 'delete', ANN, /this change is your own/],
    ['unreviewed', 'delete', BOB, /override is your own/],
    ['unreviewed', 'delete', CID, null],
    ['unreviewed', 'confirm', BOB, /override is your own/],
    ['held by gate 3', 'review', ANN, /your own/],
    ['held by gate 3', 'review', TOKEN, /names no person/],
    ['held by gate 3', 'review', CID, null],
    ['BLOCKED', 'review', ANN, null],
    ['BLOCKED', 'reject', ANN, null],
    ['unreviewed', 'reject', BOB, null],
  ];
  for (const [name, action, principal, says] of CASES) {
    const problem = releaseProblem(HELD[name] ?? blocked, { action, principal });
    const title = `${name}, ${action} by ${principal.id}`;
    if (says === null) t.is(problem, null, title);
    else t.regex(problem ?? '', says, title);
  }
});

test('four eyes compare with everybody whose change was rejected for the same commit', (t) => {
  const of = (submitted_by: Principal): RfcRecord => ({
    ...blocked,
    rfc_id: 'RFC-R',
    overall_status: 'REJECTED',
    submitted_by,
  });
  const pusher = person('git:x', { credential: 'webhook', email: 'Cid@example.com' });
  const { email: _, ...unnamed } = CID;
  const CASES: [rejected: Principal[], by: Principal, says: RegExp | null][] = [
    [[], CID, null],
    [[BOB], CID, null],
    [[BOB, ANN], CID, null],
    [[CID], CID, /RFC-R, which was rejected for the same commit, is your own/],
    [[BOB, CID], CID, /is your own/],
    [[{ ...CID, credential: 'session' }], CID, /is your own/],
    [[person('other', { email: 'CID@example.com' })], CID, /is your own/],
    [[pusher], CID, /is your own/],
    [[pusher], BOB, null],
    [[pusher], unnamed, /no e-mail address/],
    [[TOKEN], CID, /not known who submitted RFC-R, which was rejected for the same commit, so/],
    [[person('api', { credential: 'api-token' })], CID, /not known who submitted/],
  ];
  for (const action of ['override', 'approve', 'confirm'] as const) {
    for (const [rejected, principal, says] of CASES) {
      const record = HELD[action === 'confirm' ? 'unreviewed' : 'BLOCKED'] ?? blocked;
      // The emergency override is his own.
      if (action === 'confirm' && principal === BOB) continue;
      const problem = releaseProblem(record, { action, principal }, rejected.map(of));
      const title = `${action} by ${principal.id}, ${rejected.map(({ id }) => id).join()}`;
      if (says === null) t.is(problem, null, title);
      else t.regex(problem ?? '', says, title);
    }
  }
  // What lifts no rejection is compared with the own submitter alone.
  for (const action of ['delete', 'reject'] as const) {
    t.is(releaseProblem(blocked, { action, principal: CID }, [of(CID)]), null, action);
  }
});

test('a decision lifts rejections of the commits that it is about', (t) => {
  const sha = 'a'.repeat(40);
  const record = { ...blocked, commit_sha: sha, repo_name: 'shop', repo_full_name: 'acme/shop' };
  const none = { commit_sha: null, repo_full_name: null };
  const asked = { action: 'approve', ...none } as const;
  const names = ['shop', 'acme/shop'];
  const expected = { tenant_id: 'default', names, repo_key: 'shop', shas: [sha] };
  t.deepEqual(commitsLifted(record, asked), expected);
  const pin = { commit_sha: 'B'.repeat(40), repo_full_name: 'acme/fork' };
  t.deepEqual(commitsLifted(record, { ...asked, ...pin }), {
    ...expected,
    names: [...names, 'acme/fork'],
    shas: [sha, 'b'.repeat(40)],
  });
  t.deepEqual(commitsLifted(record, { ...asked, commit_sha: sha.toUpperCase() }), expected);
  t.is(commitsLifted({ ...record, commit_sha: null }, asked), null);
  t.is(commitsLifted(record, { ...asked, action: 'reject' }), null);
});

test('a deletion leaves the refusal alone', (t) => {
  for (const [name, record] of Object.entries(HELD)) {
    const left = refusalLeft(record, AT);
    const status = name === 'unreviewed' ? 'BLOCKED' : record.overall_status;
    t.like(left, { overall_status: status, commit_message: '', override: null }, name);
    t.false('emergency' in (left ?? {}), name);
    t.deepEqual(left?.override_history, [], name);
  }
  for (const [name, record] of Object.entries(FREE)) t.is(refusalLeft(record, AT), null, name);
});

test('the newest decision about a commit counts, that about a push before all', (t) => {
  const early = '2026-11-21T10:00:00.000Z';
  const late = '2026-11-21T12:00:00.000Z';
  const sha = 'a'.repeat(40);
  const with_ = (
    record: RfcRecord,
    over: Partial<RfcRecord>,
    ...history: Decision[]
  ): RfcRecord => ({
    ...record,
    commit_sha: sha,
    override_history: history,
    ...over,
  });
  const push = judgedPush(samplePush({ rfc_id: 'RFC-P' }));
  const one = sampleRecord({ rfc_id: 'RFC-1' });
  const other = sampleRecord({ rfc_id: 'RFC-2' });
  const rejected = { overall_status: 'REJECTED' } as const;
  const approved = { overall_status: 'APPROVED' } as const;
  const no = decisionBy(BOB, 'reject');
  const yes = decisionBy(BOB, 'approve', late);
  const CASES: [name: string, records: RfcRecord[], by: string | null][] = [
    ['nobody decided', [one, push], null],
    ['a rejection', [with_(one, rejected, no), other], 'RFC-1'],
    ['an objection', [with_(one, rejected, decisionBy(BOB, 'object'))], 'RFC-1'],
    ['approved later', [with_(one, rejected, no), with_(other, approved, yes)], null],
    [
      'approved before',
      [with_(one, rejected, no), with_(other, approved, decisionBy(BOB, 'approve', early))],
      'RFC-1',
    ],
    [
      'approved for another commit',
      [with_(one, rejected, no), with_(other, approved, { ...yes, commit_sha: 'b'.repeat(40) })],
      'RFC-1',
    ],
    [
      'approved for this commit',
      [with_(one, rejected, no), with_(other, approved, { ...yes, commit_sha: sha.toUpperCase() })],
      null,
    ],
    [
      'an approval that was revoked',
      [with_(one, rejected, no), with_(other, rejected, yes)],
      'RFC-1',
    ],
    [
      'a push, and a submitted RFC',
      [with_(push, rejected, no), with_(one, approved, yes)],
      'RFC-P',
    ],
    ['a submitted RFC, and a push', [with_(one, rejected, no), with_(push, approved, yes)], null],
    [
      'a carried verdict',
      [with_(one, rejected, no), with_(push, { overall_status: 'OVERRIDDEN' })],
      'RFC-1',
    ],
    [
      'approved with knowledge of the rejection',
      [with_(one, rejected, no), with_(other, approved, { ...yes, lifts: ['RFC-0', 'RFC-1'] })],
      null,
    ],
    [
      'approved at once, without knowledge of the rejection',
      [with_(one, rejected, no), with_(other, approved, { ...yes, lifts: [] })],
      'RFC-1',
    ],
    [
      'approved with knowledge of another rejection',
      [
        with_(one, rejected, no),
        with_(push, { ...rejected, rfc_id: 'RFC-0' }),
        with_(other, approved, { ...yes, lifts: ['RFC-0'] }),
      ],
      'RFC-1',
    ],
    [
      'approved in another repository',
      [with_(one, rejected, no), with_(other, { ...approved, repo_name: 'fork' }, yes)],
      'RFC-1',
    ],
    [
      'two rejections, one of which is lifted',
      [
        with_(push, rejected, no),
        with_(one, rejected, decisionBy(BOB, 'reject', early)),
        with_(other, approved, yes),
      ],
      'RFC-P',
    ],
  ];
  for (const [name, records, by] of CASES) {
    t.is(standingRejection(records)?.rfc_id ?? null, by, name);
    t.is(standingRejection([...records].reverse())?.rfc_id ?? null, by, name);
  }
});

/** Other ways to write the address of Ann. */
const ADDRESSES = [
  ...['ann@example.com', 'ANN@Example.COM', ' ann@example.com ', '<ann@example.com>'],
  ...['mailto:ann@example.com', 'ann+git@example.com', 'ann@example.com.', 'ann\u200b@example.com'],
  ...['ann@exa\uff4dple.com', 'ann\u00ad@example.com', '<Ann+x+y@example.com>'],
];

test('with four eyes nobody lets commits of their own pass, however their address is written', (t) => {
  const push = judgedPush(samplePush({ rfc_id: 'RFC-A' }), { overall_status: 'BLOCKED' });
  const by = (email: string): Principal => ({ ...BOB, credential: 'webhook', email });
  for (const email of ADDRESSES) {
    const own: RfcRecord = { ...push, submitted_by: by(email) };
    const contributors = [addressDigest(email)];
    const others = {
      ...push,
      submitted_by: by('bob@example.com'),
      push: push.push && { ...push.push, contributors },
    };
    for (const record of [own, others]) {
      for (const action of ['override', 'approve', 'delete'] as const) {
        t.regex(releaseProblem(record, { action, principal: ANN }) ?? '', /FOUR_EYES/, email);
        t.is(releaseProblem(record, { action, principal: CID }), null, email);
      }
      t.is(releaseProblem(record, { action: 'reject', principal: ANN }), null, email);
    }
  }
});
