import { ACCESS } from '../../auth/access.ts';
import type { AskReview, Remarks } from '../../decisions/remarks.ts';
import {
  COMMENT,
  DECISION_REQUEST,
  FALSE_ALARM,
  PERSON_FINDING,
  PERSON_SEVERITY,
} from '../../model/finding.ts';
import { DECISIONS, FIELDS, REMARKS } from '../../model/limits.ts';
import { STATUS } from '../../model/rfc.ts';
import { exactly, TEXT, WHOLE, WORDS } from '../../model/schema.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { AUDITED, AUDITED_POST, DECIDE, REASON } from './decisions.ts';
import { createBodyReader, operationReply, requesterOf } from './endpoint.ts';

const FINDING_REQUEST = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string', maxLength: REMARKS.MESSAGE_CHARS_MAX, pattern: WORDS },
    severity: {
      ...PERSON_SEVERITY,
      description: 'Default low: what people say moves no verdict',
    },
    file: { type: 'string', maxLength: FIELDS.BRANCH_CHARS_MAX, pattern: WORDS },
    line: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
  },
} as const;

const COMMENT_REQUEST = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', maxLength: REMARKS.COMMENT_CHARS_MAX, pattern: WORDS },
    false_alarm: FALSE_ALARM,
  },
} as const;

const ASK_REQUEST = {
  type: 'object',
  required: ['asked'],
  properties: {
    asked: {
      type: 'string',
      maxLength: DECISIONS.ACTOR_CHARS_MAX,
      pattern: WORDS,
      description: 'E-mail address of a login, or id of a person without one',
    },
  },
} as const;

const END_REQUEST = {
  type: 'object',
  required: ['repo', 'fingerprint', 'reason'],
  properties: {
    repo: { type: 'string', minLength: 1, maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: WHOLE },
    fingerprint: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    reason: REASON,
  },
} as const;

const FINDING_ANSWER = exactly({ finding: PERSON_FINDING, ...AUDITED });
const COMMENT_ANSWER = exactly({ comment: COMMENT, ...AUDITED });
const ASK_ANSWER = exactly({ request: DECISION_REQUEST, ...AUDITED });
const END_ANSWER = exactly(AUDITED);

/** Endpoints by which people say something besides a decision. */
export const REMARK_ROUTES = [
  {
    ...AUDITED_POST,
    name: 'add-finding',
    path: '/api/cra/rfc/:rfc_id/findings',
    summary: 'Add a finding of a person to an RFC; its verdict stays',
    auth: ACCESS.addFinding,
    body: FINDING_REQUEST,
    data: FINDING_ANSWER,
    refusals: [404, 409],
  },
  {
    ...AUDITED_POST,
    name: 'add-comment',
    path: '/api/cra/rfc/:rfc_id/findings/:finding_id/comments',
    summary: 'Comment on a finding, in plain text',
    auth: ACCESS.comment,
    body: COMMENT_REQUEST,
    data: COMMENT_ANSWER,
    refusals: [404, 409],
  },
  {
    ...AUDITED_POST,
    name: 'ask-to-decide',
    path: '/api/cra/rfc/:rfc_id/requests',
    summary: 'Ask a person to decide: a search for asked:me finds the RFC for them',
    auth: ACCESS.addFinding,
    body: ASK_REQUEST,
    data: ASK_ANSWER,
    refusals: [404, 409],
  },
  {
    ...AUDITED_POST,
    name: 'end-acceptance',
    path: '/api/cra/accepted/end',
    summary: 'Let a fingerprint that decisions accepted count again from now on; verdicts stay',
    auth: ACCESS.endAcceptance,
    body: END_REQUEST,
    data: END_ANSWER,
    refusals: [404, 409],
  },
] as const satisfies readonly Route[];

/** Handlers of what people say. */
export function createRemarkHandlers(
  remarks: Remarks,
): Record<(typeof REMARK_ROUTES)[number]['name'], Handler> {
  const readFinding = createBodyReader(FINDING_REQUEST);
  const readComment = createBodyReader(COMMENT_REQUEST);
  const readAsk = createBodyReader(ASK_REQUEST);
  const readEnd = createBodyReader(END_REQUEST);
  return {
    async 'add-finding'(call) {
      const {
        message,
        severity = 'low',
        file = null,
        line = null,
      } = await readFinding(call.request);
      const given = { message, severity, file, line };
      const done = await remarks.addFinding(call.params[0] ?? '', given, requesterOf(call));
      const { replayed, ...answer } = done;
      return operationReply(answer, replayed);
    },
    async 'add-comment'(call) {
      const said = await readComment(call.request);
      const [rfcId = '', finding_id = ''] = call.params;
      const done = await remarks.addComment(rfcId, { finding_id, ...said }, requesterOf(call));
      const { replayed, ...answer } = done;
      return operationReply(answer, replayed);
    },
    async 'ask-to-decide'(call) {
      const { asked } = await readAsk(call.request);
      const done = await remarks.askToDecide(call.params[0] ?? '', asked, requesterOf(call));
      const { replayed, ...answer } = done;
      return operationReply(answer, replayed);
    },
    async 'end-acceptance'(call) {
      const { replayed, ...answer } = await remarks.endAcceptance(
        await readEnd(call.request),
        requesterOf(call),
      );
      return operationReply(answer, replayed);
    },
  };
}

const REVIEW_REQUEST = {
  type: 'object',
  required: ['reason'],
  properties: { reason: REASON },
} as const;

const REVIEW_ANSWER = exactly({
  rfc_id: TEXT,
  review_id: { type: 'string', description: 'In `review_history` once the review has ended' },
  overall_status: STATUS,
  ...AUDITED,
});

/** Another look by the model. */
export const REVIEW_ROUTES = [
  {
    ...DECIDE,
    name: 'review',
    path: '/api/cra/rfc/:rfc_id/review',
    summary: 'Ask for another review by gate 3; it only adds',
    auth: ACCESS.review,
    body: REVIEW_REQUEST,
    data: REVIEW_ANSWER,
  },
] as const satisfies readonly Route[];

/** Its handler. */
export function createReviewHandlers(askReview: AskReview): Record<'review', Handler> {
  const readReview = createBodyReader(REVIEW_REQUEST);
  return {
    async review(call) {
      const { reason } = await readReview(call.request);
      const rfcId = call.params[0] ?? '';
      const { replayed, ...asked } = await askReview({ rfcId, reason }, requesterOf(call));
      return operationReply(asked, replayed);
    },
  };
}
