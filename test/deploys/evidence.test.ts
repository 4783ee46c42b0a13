import test, { type ExecutionContext } from 'ava';
import { createRandom } from '../../bench/random.ts';
import { leafHash } from '../../src/audit/chain.ts';
import { createProver, problemOfProof } from '../../src/audit/inclusion.ts';
import { createStatementSigner, readEvidenceKey } from '../../src/deploys/evidence/envelope.ts';
import { createEvidence } from '../../src/deploys/evidence/evidence.ts';
import { verifyBundle } from '../../src/deploys/evidence/verify.ts';
import type { ProdJudge } from '../../src/heads/prod-check.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import { CraError } from '../../src/model/errors.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { createEntryProofs } from '../../src/store/proofs.ts';
import { createProvingTree } from '../audit/merkle-proof.ts';
import { boot, type ChainWriter, FORGER, OPEN, SIGNER, startChain } from '../audit/trail.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';
import { judgedPush, samplePush } from '../store/fixtures/pushes.ts';
import { sampleRecord } from '../store/fixtures/records.ts';

const SEED = Buffer.alloc(32, 7);
const KEY = readEvidenceKey(SIGNER.verifierKey);
const BASE = 'https://cra.example';

/** Chains as a store has them. */
function sourceOf(...chains: readonly ChainWriter[]) {
  const texts = (name: string) => chains.find(({ state }) => state.chain === name)?.texts ?? [];
  return {
    chains: () => Promise.resolve(chains.map(({ state }) => state.chain)),
    async *entries(name: string) {
      yield* texts(name);
    },
    async *entriesFrom(name: string, seq: number) {
      yield* texts(name).slice(seq - 1);
    },
  };
}

test('a prover makes the paths of RFC 6962, whatever it remembers of the chain', async (t) => {
  const chain = startChain('20261121T100000Z-1');
  boot(chain);
  while (chain.state.size < 2_600) {
    if (chain.state.size % 700 === 0) chain.checkpoint();
    else chain.write({});
  }
  chain.checkpoint();
  const { texts } = chain;
  const tree = createProvingTree(texts.map((text) => leafHash(text)));
  const prover = createProver(sourceOf(chain));
  const random = createRandom(43);
  const places = [1, 2, 700, 701, 702, 1_024, 1_025, 2_048, 2_049, 2_600];
  for (const seq of [...places, ...Array.from({ length: 20 }, () => random.between(1, 2_601))]) {
    const note = await prover.checkpointOf(chain.state.chain, seq);
    const proven = await prover.prove(chain.state.chain, seq, note ?? '');
    const size = OPEN(proven.checkpoint)?.size ?? 0;
    t.is(size, seq > 2_100 ? 2_600 : Math.ceil(seq / 700) * 700, String(seq));
    t.is(proven.text, texts[seq - 1] ?? '');
    const path = tree.inclusion(seq - 1, size).map((hash) => hash.toString('hex'));
    t.deepEqual(proven.path, path, String(seq));
    t.is(problemOfProof(proven, OPEN), null);
    t.regex(problemOfProof({ ...proven, seq: seq + 1 }, OPEN) ?? '', /path does not lead/);
  }
  t.is(await prover.checkpointOf(chain.state.chain, 2_601), null);
  // Of what it remembers the prover does not see a change; of what it reads it does.
  texts[2_500] = texts[2_500]?.replace('hotfix', 'holiday') ?? '';
  const note = String(await prover.checkpointOf(chain.state.chain, 2_550));
  const error = await t.throwsAsync(prover.prove(chain.state.chain, 2_550, note));
  t.regex(error?.message ?? '', /differ from what its checkpoints were signed over/);
});

test('entries at the end of a killed daemon are proven by the boot that names them', async (t) => {
  const killed = startChain('20261121T100000Z-1');
  boot(killed);
  killed.write({});
  const other = startChain('20261121T110000Z-2');
  boot(other, [killed]);
  const own = startChain('20261121T120000Z-3');
  boot(own);
  const parts = { signer: SIGNER, chain: () => own.state.chain, seal: async () => undefined };
  const prove = (...chains: ChainWriter[]) =>
    createEntryProofs({ ...parts, source: sourceOf(...chains) });
  const end = [{ chain: killed.state.chain, seq: 2 }];
  const code = async (call: Promise<unknown>) =>
    (await t.throwsAsync(call, { instanceOf: CraError }))?.code;
  // The boot that names it is not signed yet, so that anybody may have written it.
  t.is(await code(prove(killed, other, own)(end)), 'UNAVAILABLE');
  other.checkpoint();
  const [proven] = await prove(killed, other, own)(end);
  t.is(proven && problemOfProof(proven, OPEN), null);
  t.is(OPEN(proven?.checkpoint ?? '')?.size, 2);
  // Entries behind the one that is named, and another one in its place.
  killed.write({});
  t.is(await code(prove(killed, other, own)([{ ...end[0], seq: 3 } as never])), 'UNAVAILABLE');
  killed.texts[1] = killed.texts[1]?.replace('hotfix', 'holiday') ?? '';
  t.is(await code(prove(killed, other, own)(end)), 'DATA_LOSS');
  // This daemon signs its own chain at once, and so its boot entry that names the end.
  const next = startChain('20261121T130000Z-4');
  boot(next, [own]);
  let seals = 0;
  const seal = async () => {
    seals += 1;
    next.checkpoint();
  };
  const last = [{ chain: own.state.chain, seq: own.state.size }];
  const source = sourceOf(own, next);
  const proveNext = createEntryProofs({ ...parts, source, seal, chain: () => next.state.chain });
  t.is(problemOfProof((await proveNext(last))[0] as never, OPEN), null);
  await proveNext([{ chain: next.state.chain, seq: 1 }]);
  t.is(seals, 1);
});

const PUSHED = 'a'.repeat(40);
/** Commits, the newest first. */
const SHAS = ['d', 'c', 'b', 'a'].map((digit) => digit.repeat(40));

function viewOf(record: RfcRecord) {
  const { overall_status, rev } = record;
  return { overall_status, rev, json: Buffer.from(JSON.stringify(record)) };
}

/** Evidence about records over one chain, in which each has an entry; the newest record first. */
function evidenceOf(t: ExecutionContext, records: readonly RfcRecord[], signer = SIGNER) {
  const chain = startChain('20261121T100000Z-1');
  boot(chain);
  for (const { rfc_id, repo_name } of records) {
    chain.write({ kind: 'request', rfc_id, repo_name, reason: 'please', details: {} });
  }
  chain.checkpoint(signer);
  const prove = createEntryProofs({
    source: sourceOf(chain),
    signer,
    chain: () => chain.state.chain,
    seal: () => Promise.resolve(t.fail('it is signed')),
  });
  const find = (rfcId: string) => {
    const record = records.find(({ rfc_id }) => rfc_id === rfcId);
    if (record === undefined) throw new CraError('NOT_FOUND', 'RFC not found');
    return record;
  };
  const judge: ProdJudge['judge'] = async (_, { sha }) => {
    const record = records.find(({ commit_sha }) => commit_sha === sha);
    if (record === undefined) throw new CraError('NOT_FOUND', 'RFC not found');
    const { rfc_id, overall_status, risk_score } = record;
    const by = { rfc_id, risk_score };
    const refusal = overall_status === 'BLOCKED' ? { reason: 'it is blocked', by } : null;
    const newest = { ...by, overall_status, commit_sha: sha, pin: null };
    return { newest, head: null, refusal } as Awaited<ReturnType<ProdJudge['judge']>>;
  };
  const run = (sha: string, since: string) => ({ sha, since, until: null, report: null as never });
  return createEvidence({
    judge,
    range: {
      judge,
      source: { ancestry: async () => ({ shas: SHAS.slice(0, 3), hasMore: false }) },
      pushes: {
        newestPush: async () => ({
          overall_status: 'PASSED',
          rev: 1,
          json: Buffer.from(JSON.stringify(records[0])),
        }),
        acceptedHeads: async () => ({ accepted: [], baseline: null }),
      } as never,
      records: { getRfc: async ({ rfc_id }) => viewOf(find(rfc_id)) },
    },
    ledger: {
      async running(_, { environment }, at) {
        if (environment !== 'production') return null;
        const before = run(SHAS[3] ?? '', '2026-11-20T12:00:00.000Z');
        if (at !== undefined) return at === '2026-11-21T11:59:59.999Z' ? before : null;
        return run(SHAS[0] ?? '', '2026-11-21T12:00:00.000Z');
      },
    },
    records: {
      getRfc: async ({ rfc_id }) => viewOf(find(rfc_id)),
      getState: async ({ rfc_id }) => find(rfc_id),
    },
    trail: {
      async listEntries({ rfc_id }) {
        const all = chain.texts.map((text) => JSON.parse(text) as AuditEntry);
        return { entries: all.filter((one) => one.rfc_id === rfc_id), next_cursor: null };
      },
      proveEntries: async ({ places }) => ({ entries: await prove(places) }),
    },
    judgeEnd: async () => null,
    signer: createStatementSigner(SEED),
    baseUrl: () => BASE,
    version: '1.0.0',
    now: () => new Date('2026-11-21T13:00:00.000Z'),
  });
}

test('evidence verifies by the key alone, and says what its RFC says', async (t) => {
  const record = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'PASSED', commit_sha: PUSHED });
  const text = await evidenceOf(t, [record]).ofRfc(MANAGER, 'RFC-1', true);
  const { bundle, fault } = verifyBundle(text, [KEY]);
  t.is(fault, null);
  const [change] = bundle?.changes ?? [];
  t.deepEqual(change?.review.rfc, record);
  t.is(change?.review.entries.length, 1);
  t.is(change?.summary.verificationResult, 'PASSED');
  t.deepEqual(change?.summary.verifiedLevels, ['CRA_PASSED']);
  // The commit of a submitted diff is a claim: no statement is about it.
  t.false(JSON.stringify(change?.summary).includes(PUSHED));
  const withheld = await evidenceOf(t, [record]).ofRfc(MANAGER, 'RFC-1', false);
  t.is(verifyBundle(withheld, [KEY]).bundle?.changes[0]?.review.entries[0]?.text, null);
  const draft = sampleRecord({ rfc_id: 'RFC-2', overall_status: 'DRAFT' });
  const error = await t.throwsAsync(evidenceOf(t, [draft]).ofRfc(MANAGER, 'RFC-2', true));
  t.is(error?.message, 'RFC-2 has no verdict: its analysis has not ended');
});

test('a record that shows what the trail does not say gets no evidence', async (t) => {
  const forged = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'APPROVED' });
  const call = evidenceOf(t, [forged]).ofRfc(MANAGER, 'RFC-1', true);
  const error = await t.throwsAsync(call, { instanceOf: CraError });
  t.is(error?.code, 'DATA_LOSS');
  t.is(
    error?.message,
    'RFC-1 shows something that the audit trail does not say: run cra audit verify',
  );
});

test('evidence that was changed, added to, cut or mixed is refused with its reason', async (t) => {
  const passed = (rfc_id: string) => sampleRecord({ rfc_id, overall_status: 'PASSED' });
  const records = [
    { ...passed('RFC-1'), carried_from: ['RFC-2', 'RFC-0'] },
    passed('RFC-2'),
    passed('RFC-3'),
  ];
  const evidence = evidenceOf(t, records);
  const text = await evidence.ofRfc(MANAGER, 'RFC-1', true);
  t.is(verifyBundle(text, [KEY]).fault, null);
  const lines = text.trimEnd().split('\n');
  t.is(lines.length, 4);
  const [carried = '', carriedSummary = '', review = '', summary = ''] = lines;
  const other = (await evidence.ofRfc(MANAGER, 'RFC-3', true)).trimEnd().split('\n');
  const faultOf = (some: readonly string[], keys = [KEY]) =>
    verifyBundle(some.map((line) => `${line}\n`).join(''), keys).fault ?? 'in order';
  // Their order says nothing.
  t.is(faultOf([summary, carried, review, carriedSummary]), 'in order');
  t.regex(faultOf([carried, carriedSummary, review]), /lacks the summary of RFC-1/);
  t.regex(faultOf([carried, carriedSummary, summary]), /lacks the review that this summary is of/);
  t.regex(faultOf([review, summary]), /lacks the review of RFC-2 that it names/);
  t.regex(faultOf([...lines, ...other]), /nothing in the bundle says why it has RFC-[13]/);
  t.regex(faultOf([...lines, summary]), /has a summary twice/);
  t.regex(faultOf([...lines, review]), /RFC-1 has a second review/);
  t.regex(faultOf([]), /ends within a line/);
  t.regex(faultOf(lines, [readEvidenceKey(FORGER.verifierKey)]), /which was not given/);
  t.regex(verifyBundle(text.slice(0, -1), [KEY]).fault ?? '', /ends within a line/);
  t.regex(
    faultOf([`${lines[0]} `, ...lines.slice(1)]),
    /not an envelope as this service writes it/,
  );

  const random = createRandom(200);
  for (let n = 0; n < 200; n += 1) {
    const at = random.between(0, text.length);
    const to = String.fromCharCode(random.between(32, 127));
    if (text[at] === to) continue;
    const changed = `${text.slice(0, at)}${to}${text.slice(at + 1)}`;
    t.regex(verifyBundle(changed, [KEY]).fault ?? '', /^line \d|^the bundle/, `${at} to ${to}`);
  }
});

test('a proof that somebody else signed is refused, even in a statement that the service signed', async (t) => {
  const record = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'PASSED' });
  const text = await evidenceOf(t, [record], FORGER).ofRfc(MANAGER, 'RFC-1', true);
  t.regex(verifyBundle(text, [KEY]).fault ?? '', /entry 2 of .* was not signed with this key/);
});

test('evidence of a deploy has every RFC between two commits, and says what holds it', async (t) => {
  const [d = '', c = '', b = '', a = ''] = SHAS;
  const pushed = (
    rfc_id: string,
    commit_sha: string,
    overall_status: RfcRecord['overall_status'],
  ) => judgedPush(samplePush({ rfc_id, repo_name: 'acme/shop' }), { commit_sha, overall_status });
  const records = [pushed('RFC-4', d, 'PASSED'), pushed('RFC-3', c, 'BLOCKED')];
  const evidence = evidenceOf(t, records);
  const asked = { repo: 'acme/shop', component: null, sha: d, from: a, environment: null };
  const text = await evidence.ofCommits(MANAGER, asked, true);
  const { bundle, fault } = verifyBundle(text, [KEY]);
  t.is(fault, null);
  t.like(bundle?.range, { from: a, to: d, commits: 3, environment: null, unjudged: [b] });
  t.deepEqual(
    bundle?.range?.rfcs.map(({ rfc_id, commit_sha }) => [rfc_id, commit_sha]),
    [
      ['RFC-4', d],
      ['RFC-3', c],
    ],
  );
  t.deepEqual(bundle?.range?.refusals, [
    { commit_sha: c, rfc_id: 'RFC-3', reason: 'it is blocked' },
  ]);
  const results = bundle?.changes.map(({ summary }) => summary.verificationResult);
  t.deepEqual(results, ['PASSED', 'FAILED']);
  const [range = '', ...lines] = text.trimEnd().split('\n');
  const without = (some: string[]) => verifyBundle(`${some.join('\n')}\n`, [KEY]).fault;
  t.regex(without([range, ...lines.slice(2)]) ?? '', /lacks the review of RFC-4 that it names/);
  t.regex(without(lines) ?? '', /nothing in the bundle says why it has RFC-3/);
  t.regex(without([range, range, ...lines]) ?? '', /has a second range/);

  // What runs in an environment, and what ran there before; one commit alone.
  const deployed = { ...asked, from: null, environment: 'production' };
  for (const sha of [null, d]) {
    const made = await evidence.ofCommits(MANAGER, { ...deployed, sha }, true);
    t.like(verifyBundle(made, [KEY]).bundle?.range, { from: a, to: d, environment: 'production' });
  }
  const staging = evidence.ofCommits(MANAGER, { ...deployed, environment: 'staging' }, true);
  t.regex((await t.throwsAsync(staging))?.message ?? '', /no report says what ran in staging/);
  const one = await evidence.ofCommits(MANAGER, { ...asked, from: null }, true);
  t.is(verifyBundle(one, [KEY]).bundle?.changes[0]?.review.rfc.rfc_id, 'RFC-4');
  const open = { ...asked, sha: null };
  t.regex((await t.throwsAsync(evidence.ofCommits(MANAGER, open, true)))?.message ?? '', /sha/);
});
