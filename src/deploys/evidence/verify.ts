import { readEntry } from '../../audit/entry.ts';
import { problemOfProof } from '../../audit/inclusion.ts';
import { flawsOfShown } from '../../audit/records-check.ts';
import {
  CHANGE_REVIEW,
  CHANGE_REVIEW_TYPE,
  type ChangeReview,
  DEPLOY_RANGE,
  DEPLOY_RANGE_TYPE,
  type DeployRangeReview,
  VSA_TYPE,
} from '../../model/evidence.ts';
import { createProblemFinder } from '../../model/validate.ts';
import { type EvidenceKey, openEnvelope } from './envelope.ts';
import {
  digestOf,
  rangeStatement,
  reviewStatement,
  STATEMENT_TYPE,
  type Statement,
  type Summary,
  summaryStatement,
} from './statement.ts';

/** Evidence about one RFC, all of which was checked. */
export interface VerifiedChange {
  review: ChangeReview;
  summary: Summary;
  /** SHA-256 of the envelope of the review, hex. */
  digest: string;
}

/** A bundle without a fault. */
export interface VerifiedBundle {
  /** In the order of the bundle. */
  changes: VerifiedChange[];
  /** Null: the bundle is about one RFC, and RFCs whose decisions it carries. */
  range: DeployRangeReview | null;
}

/** What a bundle says, or its first fault: a sentence. */
export type BundleReading =
  | { bundle: VerifiedBundle; fault: null }
  | { bundle: null; fault: string };

/** The record may have fields of another version, which its signer knew. */
const RECORD = { type: 'object', required: CHANGE_REVIEW.properties.rfc.required } as const;
const REVIEW = { ...CHANGE_REVIEW, properties: { ...CHANGE_REVIEW.properties, rfc: RECORD } };
const findReviewProblems = createProblemFinder(REVIEW, 'predicate');
const findRangeProblems = createProblemFinder(DEPLOY_RANGE, 'predicate');

/**
 * Checks a bundle by public keys alone: every envelope, and that the statements in it belong
 * together, so that nothing was changed, added or left out. Proven is then that the service with
 * this key said all of it, and that the entries stand in its audit trail.
 */
export function verifyBundle(text: string, keys: readonly EvidenceKey[]): BundleReading {
  try {
    return { bundle: readBundle(text, keys), fault: null };
  } catch (thrown) {
    if (thrown instanceof Fault) return { bundle: null, fault: thrown.message };
    throw thrown;
  }
}

class Fault extends Error {}

interface Opened {
  line: string;
  at: string;
  key: EvidenceKey;
  text: string;
  statement: Statement<unknown>;
}

function readBundle(text: string, keys: readonly EvidenceKey[]): VerifiedBundle {
  if (text === '' || !text.endsWith('\n')) throw new Fault('the bundle ends within a line');
  const lines = text.slice(0, -1).split('\n');
  const opened = lines.map((line, index) => openLine(line, `line ${index + 1}`, keys));
  const of = (type: string) => opened.filter(({ statement }) => statement.predicateType === type);
  const unknown = opened.find(({ statement }) => !KNOWN.has(statement.predicateType));
  if (unknown !== undefined) {
    throw new Fault(`${unknown.at}: this version does not know ${unknown.statement.predicateType}`);
  }
  const reviews = of(CHANGE_REVIEW_TYPE).map(readReview);
  const changes = withSummaries(reviews, of(VSA_TYPE));
  const [range, more] = of(DEPLOY_RANGE_TYPE);
  if (more !== undefined) throw new Fault(`${more.at}: the bundle has a second range`);
  const byRange = range === undefined ? null : readRange(range);
  requireWhole(changes, byRange);
  return { changes, range: byRange };
}

const KNOWN: ReadonlySet<string> = new Set([CHANGE_REVIEW_TYPE, VSA_TYPE, DEPLOY_RANGE_TYPE]);

function openLine(line: string, at: string, keys: readonly EvidenceKey[]): Opened {
  const { statement: text, key, problem } = openEnvelope(line, keys);
  if (problem !== null) throw new Fault(`${at}: ${problem}`);
  const statement = parse(text);
  if (statement?._type !== STATEMENT_TYPE) {
    throw new Fault(`${at}: the payload is not an in-toto Statement v1`);
  }
  return { line, at, key, text, statement };
}

function parse(text: string): Statement<unknown> | null {
  try {
    return Object(JSON.parse(text)) as Statement<unknown>;
  } catch {
    return null;
  }
}

interface Review {
  opened: Opened;
  statement: Statement<ChangeReview>;
}

function readReview(opened: Opened): Review {
  const { at, statement, text, key } = opened;
  const [problem] = findReviewProblems(statement.predicate);
  if (problem !== undefined) throw new Fault(`${at}: ${problem.field} ${problem.problem}`);
  const review = statement.predicate as ChangeReview;
  const made = reviewStatement(review);
  if (JSON.stringify(made) !== text) throw new Fault(`${at}: the subject is not that of its RFC`);
  const { rfc, entries } = review;
  for (const entry of entries) {
    const where = `${at}: entry ${entry.seq} of chain ${entry.chain}`;
    const wrong = problemOfProof(entry, key.open) ?? problemOfEntry(entry, rfc);
    if (wrong !== null) throw new Fault(`${where}: ${wrong}`);
  }
  const texts = entries.flatMap(({ text: one }) => one ?? []);
  // Without the right to read the trail only the places of the entries are proven.
  const [flaw] = texts.length === entries.length ? flawsOfShown(rfc, texts) : [];
  if (flaw !== undefined) throw new Fault(`${at}: ${flaw}`);
  return { opened, statement: made };
}

function problemOfEntry(
  { chain, seq, text }: ChangeReview['entries'][number],
  { rfc_id, tenant_id }: ChangeReview['rfc'],
): string | null {
  if (text === null) return null;
  const { entry, problem } = readEntry(text);
  if (problem !== null) return `it ${problem}`;
  if (entry.chain !== chain || entry.seq !== seq) return 'it is another entry';
  return entry.rfc_id === rfc_id && entry.tenant_id === tenant_id ? null : 'it is of another RFC';
}

/** Each review has its summary, and no summary is without a review. */
function withSummaries(reviews: readonly Review[], summaries: readonly Opened[]): VerifiedChange[] {
  const left = new Map(summaries.map((summary) => [summary.text, summary]));
  if (left.size < summaries.length) throw new Fault('the bundle has a summary twice');
  const seen = new Set<string>();
  const changes = reviews.map(({ opened, statement }) => {
    const { rfc_id } = statement.predicate.rfc;
    if (seen.has(rfc_id)) throw new Fault(`${opened.at}: ${rfc_id} has a second review`);
    seen.add(rfc_id);
    const expected = summaryStatement(statement, opened.line);
    if (!left.delete(JSON.stringify(expected))) {
      throw new Fault(
        `${opened.at}: the bundle lacks the summary of ${rfc_id}, or it says otherwise`,
      );
    }
    const { predicate: summary } = expected;
    return { review: statement.predicate, summary, digest: digestOf(opened.line) };
  });
  for (const { at } of left.values()) {
    throw new Fault(`${at}: the bundle lacks the review that this summary is of`);
  }
  return changes;
}

function readRange({ at, text, statement }: Opened): DeployRangeReview {
  const [problem] = findRangeProblems(statement.predicate);
  if (problem !== undefined) throw new Fault(`${at}: ${problem.field} ${problem.problem}`);
  const range = statement.predicate as DeployRangeReview;
  if (JSON.stringify(rangeStatement(range)) !== text) {
    throw new Fault(`${at}: the subject is not that of its range`);
  }
  return range;
}

/**
 * Every review that a range or another review names is there, as it was signed, and every other one
 * is what the bundle is about: one RFC, or a range.
 */
function requireWhole(changes: readonly VerifiedChange[], range: DeployRangeReview | null): void {
  const digests = new Map(changes.map(({ review, digest }) => [review.rfc.rfc_id, digest]));
  const carried = changes.flatMap(({ review }) => review.carried);
  const named = [...(range?.rfcs ?? []), ...carried];
  for (const { rfc_id, review } of named) {
    if (review !== null && digests.get(rfc_id) !== review) {
      throw new Fault(`the bundle lacks the review of ${rfc_id} that it names`);
    }
  }
  const known = new Set(named.map(({ rfc_id }) => rfc_id));
  const [first, second] = [...digests.keys()].filter((rfc_id) => !known.has(rfc_id));
  const one = range === null ? second : first;
  if (one !== undefined) throw new Fault(`nothing in the bundle says why it has ${one}`);
  if (range === null && first === undefined) throw new Fault('the bundle has no review');
}
