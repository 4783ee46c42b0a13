import type { Finding } from '../../model/finding.ts';
import type { NextStep } from '../../model/next-steps.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';

/** An RFC as the API shows it; newer fields are missing from older records. */
export type ShownRfc = Omit<RfcRecord, 'hard_limits'> & {
  hard_limits?: string[];
  next_steps?: NextStep[];
};

/** An RFC that is connected with another one. */
export interface RelatedRfc {
  rfc_id: string;
  overall_status: RfcStatus;
  ref: string | null;
  commit_sha: string | null;
  /** The decision about one of the two holds for the other. */
  is_carried: boolean;
}

/** Where a finding stood before in the repository. */
export interface SeenBefore {
  fingerprint: string;
  /** The change of the branch before this one has it not; null: not known. */
  is_new: boolean | null;
  /** Earlier changes that hold it, the newest first. */
  before: Pick<RfcRecord, 'rfc_id' | 'overall_status' | 'created_at' | 'override'>[];
  more: boolean;
}

/** The change of the branch before this one. */
export interface Previous
  extends Pick<RfcRecord, 'rfc_id' | 'overall_status' | 'created_at' | 'commit_sha'> {
  /** Its findings that this one has not, the gravest first. */
  gone: (Pick<Finding, 'finding_id' | 'id' | 'severity' | 'file' | 'line'> & { title: string })[];
  gone_total: number;
}

/** `GET rfc/<id>/related`. */
export interface Related {
  rests_on: RelatedRfc[];
  resting: RelatedRfc[];
  /** BLOCKED pushes of the same commit or change, which a decision would cover. */
  carries_to: RelatedRfc[];
  /** There are more than these. */
  more: boolean;
  findings: SeenBefore[];
  /** Null: no such change is known. */
  previous: Previous | null;
}

/** What runs in an environment (`GET deploys`). */
export interface Deployed {
  environment: string;
  component: string | null;
  runs: { sha: string; since: string; by: string }[];
}

/** Decisions that a person may take about an RFC. */
export type Action = 'override' | 'approve' | 'reject';
