import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { EvidenceKey } from '../deploys/evidence/envelope.ts';
import { type VerifiedBundle, verifyBundle } from '../deploys/evidence/verify.ts';
import { CraError } from '../model/errors.ts';
import type { RfcSummary } from '../model/records.ts';
import { commitId } from '../model/rfc.ts';
import { COMMIT_ID, endTime } from '../model/schema.ts';
import { notOurAnswer } from './answer.ts';
import { dataOf, type ServiceClient } from './service-client.ts';

/** Bounds of an export. */
const EXPORT = {
  /** RFCs of the time; a page of the list has PAGE. */
  RFCS_MAX: 5_000,
  PAGE: 100,
  /** A ZIP file without 64-bit sizes. */
  ZIP_BYTES_MAX: 4 * 1024 ** 3 - 1,
} as const;

const DAY_MS = 24 * 3_600_000;

/** What is exported: between two commits, or from a day to another one, which is exported, too. */
export interface ExportQuestion {
  repo: string;
  component: string | null;
  from: string;
  to: string;
}

/** A row of the index page. */
interface Listed {
  file: string;
  bundle: VerifiedBundle;
}

/**
 * Writes evidence as a ZIP file with an index page that opens without a server. Everything is
 * verified before it is written. Resolves with the number of RFCs; throws DATA_LOSS for evidence
 * that does not verify, INVALID_ARGUMENT for a range that cannot be read.
 */
export async function exportEvidence(
  client: Pick<ServiceClient, 'evidence' | 'rfcs'>,
  question: ExportQuestion,
  { out, keys, signal }: { out: string; keys: readonly EvidenceKey[]; signal: AbortSignal },
): Promise<number> {
  const zip = createZip(out);
  let isWhole = false;
  try {
    const listed: Listed[] = [];
    const add = async (path: string, file: string) => {
      const text = String(dataOf(await client.evidence(path, signal)));
      const { bundle, fault } = verifyBundle(text, keys);
      if (fault !== null) throw new CraError('DATA_LOSS', `${path}: ${fault}`);
      zip.add(file, Buffer.from(text));
      listed.push({ file, bundle });
    };
    const { repo, component, from, to } = question;
    const left: RfcSummary[] = [];
    if (isCommit(from) && isCommit(to)) {
      const query = { repo, from: commitId(from), sha: commitId(to) };
      const narrowed = component === null ? query : { ...query, component };
      await add(`evidence?${new URLSearchParams(narrowed)}`, 'range.intoto.jsonl');
    } else {
      for (const rfc of await rfcsOf(client, question, signal)) {
        const { rfc_id, overall_status } = rfc;
        const hasVerdict = overall_status !== 'DRAFT' && overall_status !== 'SUPERSEDED';
        if (!hasVerdict) left.push(rfc);
        else await add(`rfc/${encodeURIComponent(rfc_id)}/evidence`, `${rfc_id}.intoto.jsonl`);
      }
    }
    zip.add('index.html', Buffer.from(indexPage(question, listed, left)));
    zip.end();
    isWhole = true;
    return new Set(
      listed.flatMap(({ bundle }) => bundle.changes.map(({ review }) => review.rfc.rfc_id)),
    ).size;
  } finally {
    zip.close();
    if (!isWhole) rmSync(out);
  }
}

function isCommit(text: string): boolean {
  return new RegExp(COMMIT_ID).test(text);
}

/** RFCs that were created in the days, the newest first. */
async function rfcsOf(
  client: Pick<ServiceClient, 'rfcs'>,
  { repo, component, from, to }: ExportQuestion,
  signal: AbortSignal,
): Promise<RfcSummary[]> {
  const [since, last] = [from, to].map((day) => (isDay(day) ? endTime(day) : null));
  if (!since || !last || last < since) {
    const message = '--from and --to: give two days (2027-03-01), or two whole ids of commits';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const until = new Date(Date.parse(last) + DAY_MS).toISOString();
  const found: RfcSummary[] = [];
  for (let cursor: string | null = null; ; ) {
    const query = new URLSearchParams({ repo, limit: String(EXPORT.PAGE) });
    if (component !== null) query.set('component', component);
    if (cursor !== null) query.set('cursor', cursor);
    const reply = await client.rfcs(query, signal);
    const rows = dataOf(reply);
    if (!Array.isArray(rows)) throw notOurAnswer();
    const page = rows as RfcSummary[];
    found.push(...page.filter(({ created_at: at }) => at >= since && at < until));
    if (found.length > EXPORT.RFCS_MAX) {
      const message = `the time has more than ${EXPORT.RFCS_MAX} RFCs: ask for less`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    cursor = reply.nextCursor;
    // Each page has the newest RFCs behind the one before, whatever their order within it.
    if (cursor === null || page.every(({ created_at: at }) => at < since)) return found;
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}

/** A ZIP file (PKWARE APPNOTE 6.3) whose members are stored as they are. */
interface Zip {
  add(name: string, bytes: Buffer): void;
  /** Writes the directory at its end. */
  end(): void;
  close(): void;
}

/** Creates it; names are ASCII. */
function createZip(path: string): Zip {
  const file = openSync(path, 'w', 0o600);
  const directory: Buffer[] = [];
  let offset = 0;
  const write = (bytes: Buffer) => {
    if (offset + bytes.length > EXPORT.ZIP_BYTES_MAX) {
      throw new CraError('OUT_OF_RANGE', 'the export is larger than 4 GiB: ask for less');
    }
    writeSync(file, bytes);
    offset += bytes.length;
  };
  return {
    add(name, bytes) {
      // Version, flags, method, time and date (1980-01-01), CRC-32, two sizes, two lengths.
      const fields = Buffer.alloc(26);
      fields.writeUInt16LE(20, 0);
      fields.writeUInt16LE(0x21, 8);
      fields.writeUInt32LE(crc32(bytes), 10);
      fields.writeUInt32LE(bytes.length, 14);
      fields.writeUInt32LE(bytes.length, 18);
      fields.writeUInt16LE(name.length, 22);
      const at = Buffer.alloc(14);
      at.writeUInt32LE(offset, 10);
      const named = Buffer.from(name);
      directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, at, named);
      write(Buffer.concat([Buffer.from('PK\x03\x04'), fields, named, bytes]));
    },
    end() {
      const members = directory.length / MEMBER_PARTS;
      const listed = Buffer.concat(directory);
      const last = Buffer.alloc(18);
      last.writeUInt16LE(members, 4);
      last.writeUInt16LE(members, 6);
      last.writeUInt32LE(listed.length, 8);
      last.writeUInt32LE(offset, 12);
      write(Buffer.concat([listed, Buffer.from('PK\x05\x06'), last]));
    },
    close: () => closeSync(file),
  };
}

/** Buffers for each member of the directory. */
const MEMBER_PARTS = 4;

function indexPage(
  { repo, component, from, to }: ExportQuestion,
  listed: readonly Listed[],
  left: readonly RfcSummary[],
): string {
  const what = `${repo}${component === null ? '' : `, ${component}`}: ${from} to ${to}`;
  const rows = listed.flatMap(({ file, bundle }) =>
    bundle.changes.map(({ review, summary }) => {
      const { rfc } = review;
      const decisions = rfc.override_history.map(
        ({ action, principal, reason, at }) => `${action} by ${principal.id}, ${at}: ${reason}`,
      );
      const cells = [rfc.rfc_id, summary.verificationResult, rfc.overall_status]
        .concat([rfc.commit_sha ?? '', rfc.created_at, rfc.commit_message.split('\n', 1)[0] ?? ''])
        .concat([decisions.join('\n')]);
      const link = `<td><a href="${escaped(encodeURI(file))}">${escaped(file)}</a></td>`;
      return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}${link}</tr>`;
    }),
  );
  const ranges = listed.flatMap(({ bundle: { range } }) => {
    if (range === null) return [];
    const held = range.refusals.map(({ commit_sha, reason }) => `${commit_sha}: ${reason}`);
    const lines = [`${range.commits} commits`, ...held, ...range.unjudged.map(unjudgedLine)];
    return lines.map((line) => `<li>${escaped(line)}</li>`);
  });
  const heads = ['RFC', 'Result', 'Status', 'Commit', 'Created', 'Message', 'Decisions', 'File'];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Evidence: ${escaped(what)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body { font: 15px/1.4 sans-serif; margin: 2em; }
td, th { border: 1px solid #999; padding: .3em .5em; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; white-space: pre-line; }
table { border-collapse: collapse; }
</style></head><body>
<h1>Evidence: ${escaped(what)}</h1>
<p>Each file was verified when this page was made. The page itself is not signed: verify the files
with <code>cra evidence verify FILE --key KEY</code>.</p>
<ul>${ranges.join('')}</ul>
<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>
${rows.join('\n')}
</table>
${left.length === 0 ? '' : `<p>Without a verdict, and so without evidence: ${left.map(({ rfc_id }) => escaped(rfc_id)).join(', ')}</p>`}
</body></html>
`;
}

function unjudgedLine(sha: string): string {
  return `${sha}: no RFC judged it`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
