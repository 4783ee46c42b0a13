import type { FindingComment } from './finding.ts';
import { findingsOf, type RfcRecord } from './records.ts';

/**
 * A record whose gates are going to run again: ids of findings are given by position, so that
 * another finding may get the id. Until then comments name findings of gates by fingerprint.
 */
export function withCommentsByFingerprint(record: RfcRecord): RfcRecord {
  const names = new Map(
    findingsOf(record).map(({ finding_id, fingerprint, id }) => [finding_id, fingerprint || id]),
  );
  return withCommentsOn(record, names);
}

/**
 * A record whose gates have run: its comments name by id the findings that they named by
 * fingerprint. A comment about a finding that is gone stays as it is.
 */
export function withCommentsById(record: RfcRecord): RfcRecord {
  const names = new Map(
    findingsOf(record)
      .toReversed()
      .map(({ finding_id, fingerprint }) => [fingerprint, finding_id]),
  );
  return withCommentsOn(record, names);
}

/** The comments with other names of their findings, where `names` has one. */
function withCommentsOn(record: RfcRecord, names: ReadonlyMap<string, string>): RfcRecord {
  const { discussion } = record;
  if (discussion === undefined) return record;
  const comments = discussion.comments.map((comment): FindingComment => {
    const name = names.get(comment.finding_id);
    return name === undefined ? comment : { ...comment, finding_id: name };
  });
  return { ...record, discussion: { ...discussion, comments } };
}
