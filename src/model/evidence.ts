import type { Static } from 'typebox';
import { RFC, type RfcRecord } from './records.ts';
import { STATUS } from './rfc.ts';
import { COMMIT_ID, COUNT, exactly, SCORE, TEXT, TEXT_OR_NULL, TIME } from './schema.ts';

/**
 * What evidence says: the predicates of its in-toto statements (docs/reference/evidence.md). The
 * number at the end of a type changes when a reader of the old one could misunderstand the new one.
 */
export const CHANGE_REVIEW_TYPE = 'urn:cra:change-review:v1';
export const DEPLOY_RANGE_TYPE = 'urn:cra:deploy-range:v1';
/** SLSA Verification Summary Attestation (slsa.dev/verification_summary). */
export const VSA_TYPE = 'https://slsa.dev/verification_summary/v1';

/** Media type of a bundle: one envelope a line. */
export const BUNDLE_TYPE = 'application/vnd.in-toto.bundle';

const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

const ENTRY = exactly({
  chain: TEXT,
  seq: { type: 'integer', minimum: 1 },
  text: {
    ...TEXT_OR_NULL,
    description: 'The entry as it was written; null: its reader may not read the audit trail',
  },
  leaf: { ...HASH, description: 'SHA-256(0x00 || bytes of the entry)' },
  path: {
    type: 'array',
    items: HASH,
    description: 'Audit path of RFC 6962 (2.1.1), from the leaf to the root',
  },
  checkpoint: { ...TEXT, description: 'Signed note whose tree has the entry as leaf seq - 1' },
});

const SERVICE = exactly({
  uri: { ...TEXT, description: 'Address of the service for people' },
  version: TEXT,
});

/** Predicate of a statement about one RFC. */
export const CHANGE_REVIEW = exactly({
  made_at: TIME,
  service: SERVICE,
  rfc: { ...RFC, description: 'As GET rfc shows it, without next_steps' },
  refusal: {
    anyOf: [{ type: 'null' }, exactly({ rfc_id: TEXT, reason: TEXT })],
    description:
      'Why prod-check refuses the commit, whatever this RFC says; null: it does not, or the commit ' +
      'is a claim of the submitter of the diff',
  },
  carried: {
    type: 'array',
    description: 'The RFCs of carried_from, whose reviews the bundle has, too',
    items: exactly({
      rfc_id: TEXT,
      review: {
        type: ['string', 'null'],
        pattern: HASH.pattern,
        description: 'SHA-256 of the envelope of its review; null: it was deleted',
      },
    }),
  },
  entries: {
    type: 'array',
    items: ENTRY,
    description: 'All entries of the audit trail about the RFC, the oldest first',
  },
});
export type ChangeReview = Omit<Static<typeof CHANGE_REVIEW>, 'rfc'> & { rfc: RfcRecord };

/** Predicate of a statement about the commits between two. */
export const DEPLOY_RANGE = exactly({
  made_at: TIME,
  service: SERVICE,
  repo: TEXT,
  component: { ...TEXT_OR_NULL, description: 'Null: all of the repository' },
  environment: { ...TEXT_OR_NULL, description: 'Where `from` ran; null: it was asked for' },
  from: { type: 'string', pattern: COMMIT_ID, description: 'Left out of the range' },
  to: { type: 'string', pattern: COMMIT_ID },
  commits: COUNT,
  joint_risk: SCORE,
  rfcs: {
    type: 'array',
    description: 'All RFCs that speak for commits of the range, the newest first',
    items: exactly({
      rfc_id: TEXT,
      commit_sha: TEXT,
      overall_status: STATUS,
      review: { ...HASH, description: 'SHA-256 of the envelope of its change review' },
    }),
  },
  refusals: {
    type: 'array',
    description: 'Commits that are refused, and that no accepted push on top of them covers',
    items: exactly({ commit_sha: TEXT, rfc_id: TEXT, reason: TEXT }),
  },
  unjudged: { type: 'array', items: TEXT, description: 'Commits that no RFC judged' },
});
export type DeployRangeReview = Static<typeof DEPLOY_RANGE>;

/** One line of a bundle. */
export const ENVELOPE = exactly({
  payload: { ...TEXT, description: 'The statement (in-toto Statement v1, JSON) in base64' },
  payloadType: { type: 'string', enum: ['application/vnd.in-toto+json'] },
  signatures: {
    type: 'array',
    minItems: 1,
    maxItems: 1,
    items: exactly({
      keyid: { ...TEXT, description: 'Of the public key, as ssh-keygen -l shows it' },
      sig: { ...TEXT, description: 'Ed25519 over PAE of DSSE, base64' },
    }),
  },
});
