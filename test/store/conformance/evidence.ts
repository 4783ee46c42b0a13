import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import { problemOfProof } from '../../../src/audit/inclusion.ts';
import { createStatementSigner, readEvidenceKey } from '../../../src/deploys/evidence/envelope.ts';
import { createEvidence } from '../../../src/deploys/evidence/evidence.ts';
import { verifyBundle } from '../../../src/deploys/evidence/verify.ts';
import { CraError } from '../../../src/model/errors.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { type Check, fails, type Harness, insert, NOW } from './steps.ts';

/** Of all harnesses. */
const SEED = new Uint8Array(32).fill(3);
const KEY = readEvidenceKey(createCheckpointSigner(SEED).verifierKey);

export function checkEvidence(check: Check): void {
  check('evidence of a decision verifies, until somebody edits the record', async (t, harness) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a')]);
    await insert(harness.store, record);
    await harness.trail.decide(decisionOn(record, 'op-1'));
    await harness.trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
    const text = await evidenceOf(harness).ofRfc(MANAGER, 'RFC-1', true);
    const { bundle, fault } = verifyBundle(text, [KEY]);
    t.is(fault, null);
    const [change] = bundle?.changes ?? [];
    t.is(change?.summary.verificationResult, 'FAILED');
    const entries = change?.review.entries ?? [];
    const kinds = entries.map((entry) => (JSON.parse(entry.text ?? '') as { kind: string }).kind);
    t.deepEqual([...new Set(kinds)], ['override', 'reject']);

    // A later daemon proves the same entries, which stand in the chain of an earlier one.
    await harness.reopen();
    const places = entries.map(({ chain, seq }) => ({ chain, seq }));
    const again = await harness.trail.proveEntries({ places });
    t.deepEqual(
      again.entries.map((entry) => problemOfProof(entry, KEY.open)),
      places.map(() => null),
    );
    t.is(again.entries[0]?.text, entries[0]?.text ?? '');
    t.is(verifyBundle(await evidenceOf(harness).ofRfc(MANAGER, 'RFC-1', true), [KEY]).fault, null);

    await harness.edit.record('RFC-1', (stored) => ({ ...stored, overall_status: 'APPROVED' }));
    await fails(t, evidenceOf(harness).ofRfc(MANAGER, 'RFC-1', true), 'DATA_LOSS');
    await harness.edit.record('RFC-1', (stored) => ({ ...stored, overall_status: 'REJECTED' }));
    const other = { ...MANAGER, tenant_id: 'other' };
    await fails(t, evidenceOf(harness).ofRfc(other, 'RFC-1', true), 'NOT_FOUND');
  });
}

function evidenceOf({ store: records, trail }: Harness) {
  return createEvidence({
    records,
    trail,
    judge: () => Promise.reject(new CraError('NOT_FOUND', 'RFC not found')),
    judgeEnd: async () => null,
    signer: createStatementSigner(SEED),
    baseUrl: () => 'https://cra.example',
    version: '1.0.0',
    now: () => new Date(NOW),
  });
}
