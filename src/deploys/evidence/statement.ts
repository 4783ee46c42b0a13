import { createHash } from 'node:crypto';
import { isPassing } from '../../model/components.ts';
import {
  CHANGE_REVIEW_TYPE,
  type ChangeReview,
  DEPLOY_RANGE_TYPE,
  type DeployRangeReview,
  VSA_TYPE,
} from '../../model/evidence.ts';
import { acceptsPush, pinOf, type RfcRecord } from '../../model/records.ts';

/** An in-toto Statement v1 (github.com/in-toto/attestation, spec/v1). */
export interface Statement<Predicate> {
  _type: typeof STATEMENT_TYPE;
  subject: { name: string; digest: Record<string, string> }[];
  predicateType: string;
  predicate: Predicate;
}

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** The statement about one RFC. */
export function reviewStatement(predicate: ChangeReview): Statement<ChangeReview> {
  const subject = subjectOf(predicate.rfc);
  return { _type: STATEMENT_TYPE, subject, predicateType: CHANGE_REVIEW_TYPE, predicate };
}

/** The statement about the commits between two. */
export function rangeStatement(predicate: DeployRangeReview): Statement<DeployRangeReview> {
  const { repo, to } = predicate;
  const subject = [{ name: repo, digest: { gitCommit: to } }];
  return { _type: STATEMENT_TYPE, subject, predicateType: DEPLOY_RANGE_TYPE, predicate };
}

/** What the predicate of a verification summary says (slsa.dev/verification_summary/v1). */
export interface Summary {
  verifier: { id: string; version: Record<string, string> };
  timeVerified: string;
  resourceUri: string;
  policy: { uri: string; digest: Record<string, string> };
  inputAttestations: { uri: string; digest: { sha256: string } }[];
  verificationResult: 'PASSED' | 'FAILED';
  verifiedLevels: string[];
}

/**
 * The verification summary of a review. It says nothing that does not follow from the review, so
 * that a verifier makes it again and compares. `envelope`: the review as it was signed.
 */
export function summaryStatement(
  { subject, predicate }: Statement<ChangeReview>,
  envelope: string,
): Statement<Summary> {
  const { rfc, service, refusal } = predicate;
  const hasPassed = refusal === null && letsPass(rfc);
  const api = `${service.uri}/api/cra`;
  return {
    _type: STATEMENT_TYPE,
    subject,
    predicateType: VSA_TYPE,
    predicate: {
      verifier: { id: service.uri, version: { cra: service.version } },
      timeVerified: rfc.updated_at,
      resourceUri: resourceUri(rfc),
      policy: { uri: `${api}/rules`, digest: { craRulesRevision: rfc.rules_revision } },
      inputAttestations: [
        {
          uri: `${api}/rfc/${encodeURIComponent(rfc.rfc_id)}/evidence`,
          digest: { sha256: digestOf(envelope) },
        },
      ],
      verificationResult: hasPassed ? 'PASSED' : 'FAILED',
      // Levels of our own: they must not begin with SLSA_.
      verifiedLevels: [hasPassed ? `CRA_${rfc.overall_status}` : 'FAILED'],
    },
  };
}

/** SHA-256 of an envelope, hex. */
export function digestOf(envelope: string): string {
  return createHash('sha256').update(envelope).digest('hex');
}

/**
 * What a review is about. The service itself read the commit of a push; the commit of a submitted
 * diff is a claim of its submitter, so that its subject is the diff alone.
 */
function subjectOf({ push, commit_sha, repo_name, diff_hash }: RfcRecord) {
  return [
    ...(isRead(push, commit_sha) ? [{ name: repo_name, digest: { gitCommit: commit_sha } }] : []),
    ...(diff_hash === '' ? [] : [{ name: 'diff', digest: { sha256: diff_hash } }]),
  ];
}

/** Whether the verdict counts for what the review is about. */
function letsPass(rfc: RfcRecord): boolean {
  if (rfc.push !== null) return acceptsPush(rfc);
  const pin = pinOf(rfc);
  return isPassing(rfc.overall_status) && (pin === null || pin === rfc.commit_sha);
}

function isRead(push: RfcRecord['push'], sha: string | null): sha is string {
  return push !== null && sha !== null;
}

/** A package URL: of the commit that was read, else of the repository. */
function resourceUri({ push, commit_sha, repo_name }: RfcRecord): string {
  const path = repo_name.split('/').map(encodeURIComponent).join('/');
  return `pkg:generic/${path}${isRead(push, commit_sha) ? `@${commit_sha}` : ''}`;
}
