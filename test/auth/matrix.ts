/**
 * Who may do what, written by hand from the specification (Roles; Endpoint auth matrix; the
 * stricter rule where the two differ) and, for endpoints it does not list, from "Unlisted routes"
 * of the design: reads viewer; ops-log and claude-task submitter; approve and reject cab-member.
 *
 * `1` is 401, `3` is 403, `+` is let in, which here ends in the status of its column: ids are
 * unknown and bodies hold too little. In paths `RFC-0`, `none` and `999` stand for the parameters.
 * Columns: none, garbage, expired | token, legacy key | override, both | the token of agents,
 * both | JWTs by role | cookies.
 */
const TABLE = `
                                       n g e | t k | o b | h i | - v s r c m a | v s r c m a
GET    health                      200 + + + | + + | + + | + + | + + + + + + + | + + + + + +
POST   analyze                     400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
GET    rfc/RFC-0                   404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfc/RFC-0.sarif             404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfc/RFC-0/related           404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfc/RFC-0/code              404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfc/RFC-0/changes           404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    evidence                    400 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfc/RFC-0/evidence          404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    bulk-override               400 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    stats                       200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    pulse                       200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfcs                        200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rfcs/facets                 200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
POST   rfc/RFC-0/override          404 1 1 1 | 3 3 | + + | + + | 3 3 3 3 + + + | 3 3 3 3 3 +
POST   approve/RFC-0               404 1 1 1 | 3 3 | + + | + + | 3 3 3 3 + + + | 3 3 3 3 3 +
POST   rfc/RFC-0/review-emergency  400 1 1 1 | 3 3 | + + | 3 3 | 3 3 3 3 + + + | 3 3 3 3 3 +
POST   rfc/RFC-0/review            404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 + + + + | 3 3 + + + +
POST   rfc/RFC-0/terraform-plan    404 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   reports                     400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   rfc/RFC-0/reports           404 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   reject/RFC-0                404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 + + + | 3 3 3 + + +
POST   bulk-override               400 1 1 1 | 3 3 | + + | 3 3 | 3 3 3 3 3 3 + | 3 3 3 3 3 +
DELETE rfc/RFC-0                   404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 3 3 + | 3 3 3 3 3 +
POST   rfc/RFC-0/delete            404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 3 3 + | 3 3 3 3 3 +
GET    prod-check/none             404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
POST   webhook                     401 1 1 1 | 1 1 | 1 1 | 1 1 | 1 1 1 1 1 1 1 | 1 1 1 1 1 1
GET    webhook-status/none         404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
POST   rfc/RFC-0/findings          404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 + + + + + | 3 + + + + +
POST   rfc/RFC-0/findings/F-0/comments 404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 + + + + | 3 3 + + + +
POST   rfc/RFC-0/requests          404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 + + + + + | 3 + + + + +
POST   accepted/end                404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 3 + + | 3 3 3 3 + +
POST   ops-log                     400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   pre-receive                 400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   pre-receive/unjudged        400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   deploys                     400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   deploys/pass-freeze         404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 + + + | 3 3 3 + + +
POST   outcomes                    400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
GET    outcomes                    200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    deploys                     200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    deploys/figures             200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    score                       200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    score/curves/999            404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    tasks                       200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    accepted                    200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    exceptions                  200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    coverage                    200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    events                      200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
POST   events/replay               400 1 1 1 | + + | 3 + | 3 + | 3 3 3 3 3 + + | 3 3 3 3 + +
GET    emergencies                 200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    audit                       200 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 3 + + | 3 3 3 3 + +
GET    pending-tasks               200 1 1 1 | + + | 3 + | 3 + | 3 3 3 3 3 3 3 | 3 3 3 3 3 3
POST   pending-tasks               200 1 1 1 | + + | 3 + | 3 + | 3 3 3 3 3 3 3 | 3 3 3 3 3 3
POST   task-status                 404 1 1 1 | + + | 3 + | 3 + | 3 3 3 3 3 3 3 | 3 3 3 3 3 3
POST   claude-task                 404 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
POST   usage/log                   400 1 1 1 | + + | 3 + | 3 + | 3 3 3 3 3 3 3 | 3 3 3 3 3 3
GET    usage/total                 200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    usage/summary               200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rules                       200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
PUT    rules                       400 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 3 + + | 3 3 3 3 3 +
POST   rules/dry-run               400 1 1 1 | + + | 3 + | 3 + | 3 3 + + + + + | 3 + + + + +
GET    rules/list                  200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rules/revisions             200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    rules/revisions/999         404 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
POST   rules/revisions/999/restore 404 1 1 1 | 3 3 | 3 3 | 3 3 | 3 3 3 3 3 + + | 3 3 3 3 3 +
GET    dispatcher/status           200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    openapi.json                200 1 1 1 | + + | 3 + | 3 + | + + + + + + + | + + + + + +
GET    auth/login                  200 + + + | + + | + + | + + | + + + + + + + | + + + + + +
GET    auth/oidc                   303 + + + | + + | + + | + + | + + + + + + + | + + + + + +
GET    auth/callback               401 + + + | + + | + + | + + | + + + + + + + | + + + + + +
POST   auth/password               401 + + + | + + | + + | + + | + + + + + + + | + + + + + +
POST   auth/link                   401 + + + | + + | + + | + + | + + + + + + + | + + + + + +
GET    auth/session                200 1 1 1 | 3 3 | 3 3 | 3 3 | + + + + + + + | + + + + + +
POST   auth/logout                 200 1 1 1 | 3 3 | 3 3 | 3 3 | + + + + + + + | + + + + + +
`;

/** Credentials, in the order of the table's columns. */
export const CREDENTIALS = [
  'none',
  'garbage',
  'expired JWT',
  'API token',
  'X-API-Key',
  'override token',
  'API token and X-CRA-Override-Token',
  'agent token',
  'API token and agent token',
  'JWT without a role',
  'JWT viewer',
  'JWT submitter',
  'JWT reviewer',
  'JWT cab-member',
  'JWT change-manager',
  'JWT admin',
  'cookie viewer',
  'cookie submitter',
  'cookie reviewer',
  'cookie cab-member',
  'cookie change-manager',
  'cookie admin',
] as const;
export type CredentialName = (typeof CREDENTIALS)[number];

export interface Cell {
  credential: CredentialName;
  isLetIn: boolean;
  /** What is answered to the request of the row. */
  status: number;
}

export interface Row {
  method: string;
  /** Below /api/cra/. */
  path: string;
  cells: readonly Cell[];
}

/** The table, read. */
export const MATRIX: readonly Row[] = TABLE.trim().split('\n').slice(1).map(readRow);

function readRow(line: string): Row {
  const [method = '', path = '', inside, ...marks] = line.split(/[\s|]+/);
  if (marks.length !== CREDENTIALS.length) throw new Error(`${path}: ${marks.length} cells`);
  const statuses: Record<string, number> = { '1': 401, '3': 403, '+': Number(inside) };
  const cells = CREDENTIALS.map((credential, index) => {
    const mark = marks[index] ?? '';
    const status = statuses[mark];
    if (status === undefined) throw new Error(`${path}: cell "${mark}"`);
    return { credential, isLetIn: mark === '+', status };
  });
  return { method, path, cells };
}

/** Bodies of the requests; others have none. */
export const BODIES: Readonly<Record<string, string>> = {
  analyze: '{}',
  'rfc/RFC-0/override': '{"actor":"ann","reason":"seen"}',
  'approve/RFC-0': '{"reason":"seen"}',
  'rfc/RFC-0/review': '{"reason":"seen"}',
  'reject/RFC-0': '{"reason":"seen"}',
  'bulk-override': '{"reason":"without a filter"}',
  'rfc/RFC-0/findings': '{"message":"seen"}',
  'rfc/RFC-0/findings/F-0/comments': '{"text":"seen"}',
  'rfc/RFC-0/requests': '{"asked":"ann@a.example"}',
  'accepted/end': JSON.stringify({ repo: 'none', fingerprint: '0'.repeat(64), reason: 'seen' }),
  'ops-log': '{}',
  deploys: '{}',
  outcomes: '{}',
  'deploys/pass-freeze': JSON.stringify({
    repo: 'none',
    environment: 'prod',
    sha: '0'.repeat(40),
    freeze: 'none',
    reason: 'seen',
  }),
  'pre-receive': '{}',
  'pre-receive/unjudged': '{}',
  'task-status': '{"taskId":"none","status":"done"}',
  'claude-task': '{"findingId":"none"}',
  'usage/log': '{}',
  rules: '{"version":',
};
