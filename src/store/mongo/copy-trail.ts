import type { AuditEntry } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type { CopyPage, CopyRow } from '../copy.ts';
import { type AuditDocument, slotOf } from './audit-collection.ts';
import { type CopyPlaces, type KindCopy, PAGE_ROWS } from './copy-records.ts';
import { outputOf } from './decide.ts';
import { readIntent } from './decide-steps.ts';
import { insertMissing } from './operations.ts';

/** Entries of the trail, chain by chain, the oldest first: the texts as they were written. */
export function createEntryCopy({ audit }: CopyPlaces): KindCopy {
  return {
    async read(after): Promise<CopyPage> {
      const chains = (await audit.distinct('chain')).sort();
      let [chain, seq] = (after ?? [chains[0] ?? '', 0]) as [string, number];
      const rows: CopyRow[] = [];
      for (const name of chains.slice(Math.max(0, chains.indexOf(chain)))) {
        const found = await audit
          .find({ chain: name, seq: { $gt: name === chain ? seq : 0 } })
          .sort({ seq: 1 })
          .limit(PAGE_ROWS - rows.length)
          .toArray();
        rows.push(...found.map(({ entry }) => ({ entry })));
        [chain, seq] = [name, found.at(-1)?.seq ?? (name === chain ? seq : 0)];
        if (rows.length === PAGE_ROWS) return { rows, next: [chain, seq] };
      }
      return { rows, next: null };
    },
    async write(copied) {
      const documents = copied.map(({ entry }) => documentOf(String(entry)));
      await insertMissing(audit, documents);
    },
  };
}

function documentOf(text: string): AuditDocument {
  const { chain, seq, op_id, phase, kind, ts } = JSON.parse(text) as AuditEntry;
  const place = { _id: `${chain}:${seq}`, chain, seq, op_id, slot: slotOf(phase) };
  return { ...place, phase, kind, ts: new Date(ts), entry: text };
}

/**
 * What was answered to decisions, for repeats with their op_id. Here the trail says so, but for
 * decisions that were made in another store; for those there are documents.
 */
export function createOperationCopy({ audit, operations }: CopyPlaces): KindCopy {
  async function readCopied(after: string): Promise<CopyPage> {
    const filter = { _id: { $gt: after } };
    const found = await operations.find(filter).sort({ _id: 1 }).limit(PAGE_ROWS).toArray();
    const rows = found.map(({ _id: op_id, ...row }) => ({ op_id, ...row }));
    const last = found.length < PAGE_ROWS ? undefined : found.at(-1);
    return { rows, next: last === undefined ? ['made', 0, ''] : ['copied', last._id] };
  }

  async function readMade(afterMs: number, afterId: string): Promise<CopyPage> {
    const ts = new Date(afterMs);
    const behind =
      afterId === '' ? {} : { $or: [{ ts: { $gt: ts } }, { ts, op_id: { $gt: afterId } }] };
    const intents = await audit
      .find({ slot: 'intent', ...behind }, { hint: 'intents' })
      .sort({ ts: 1, op_id: 1 })
      .limit(PAGE_ROWS)
      .toArray();
    const rows = await answersOf(intents);
    const last = intents.length < PAGE_ROWS ? undefined : intents.at(-1);
    const next = last === undefined ? null : (['made', last.ts.getTime(), last.op_id] as const);
    return { rows, next };
  }

  async function answersOf(intents: readonly AuditDocument[]): Promise<CopyRow[]> {
    const names = intents.map(({ op_id }) => op_id);
    const bases = names.map((name) => name.replace(RETRY, ''));
    const found = await audit
      .find({ op_id: { $in: [...names, ...bases] }, slot: 'outcome' })
      .toArray();
    const outcomes = new Map(found.map((each) => [each.op_id, each]));
    const copied = await operations
      .find({ _id: { $in: bases } })
      .map(({ _id }) => _id)
      .toArray();
    return intents.flatMap(({ op_id, entry }, index) => {
      const outcome = outcomes.get(op_id);
      if (outcome === undefined) throw unsettled(op_id);
      const base = bases[index] ?? op_id;
      const asked = outcomes.get(base)?.phase === 'aborted' ? base : op_id;
      const isDecision = 'request_hash' in (JSON.parse(entry) as AuditEntry).details;
      if (outcome.phase !== 'done' || !isDecision || copied.includes(asked)) return [];
      const { tenantId: tenant_id, rfcId: rfc_id, requestHash, ...intent } = readIntent(entry);
      const { chain, seq } = outcome;
      const whole = { tenantId: tenant_id, rfcId: rfc_id, requestHash, ...intent };
      const output = { ...outputOf(whole, { chain, seq }), replayed: false };
      return {
        op_id: asked,
        tenant_id,
        rfc_id,
        request_hash: requestHash,
        output: JSON.stringify(output),
      };
    });
  }

  return {
    read(after) {
      const [part, place, id] = (after ?? ['copied', '']) as [
        'copied' | 'made',
        string | number,
        string,
      ];
      return part === 'copied' ? readCopied(String(place)) : readMade(Number(place), id);
    },
    async write(copied) {
      const documents = copied.map((row) => {
        const { op_id, tenant_id, rfc_id, request_hash, output } = row as Record<string, string>;
        return { _id: op_id, tenant_id, rfc_id, request_hash, output };
      });
      await insertMissing(operations as never, documents);
    },
  };
}

/** How a further attempt of an operation is called, behind the op_id that was given. */
const RETRY = /\.[2-9]$/;

function unsettled(opId: string): CraError {
  const message = `decision ${opId} has no outcome yet: start the daemon once, which settles it, and stop it`;
  return new CraError('FAILED_PRECONDITION', message);
}
