import { ACCESS, type AuthRow } from '../../auth/access.ts';
import type { Authentication } from '../../auth/authenticate.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { Principal, SessionDecisions } from '../../model/principal.ts';
import { TEXT, TEXT_OR_NULL } from '../../model/schema.ts';
import type { Assets } from '../assets.ts';
import type { Handler } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import type { Route } from '../server/route.ts';
import { GET } from './fields.ts';

const HTML = { type: 'string', description: 'The page' } as const;
const FILE = {
  type: 'string',
  description: 'A file of the page; its name changes with it',
} as const;

/** The actions on the page, and the access rule of the endpoint of each. */
const ABILITIES: readonly (readonly [string, AuthRow])[] = [
  ['override', ACCESS.override],
  ['approve', ACCESS.override],
  ['reject', ACCESS.reject],
  ['review', ACCESS.review],
  ['add-finding', ACCESS.addFinding],
  ['comment', ACCESS.comment],
  ['end-acceptance', ACCESS.endAcceptance],
  ['audit', ACCESS.audit],
  ['bulk-override', ACCESS.bulkOverride],
  ['delete', ACCESS.erase],
  ['rules', ACCESS.rules],
];

const SESSION = {
  type: 'object',
  required: [
    ...[
      'id',
      'name',
      'email',
      'credential',
      'role',
      'tenant_id',
      'auth',
      'login',
      'can',
      'decides',
    ],
    ...['four_eyes', 'idle_ends_at', 'ends_at'],
  ],
  properties: {
    id: TEXT,
    name: TEXT_OR_NULL,
    email: TEXT_OR_NULL,
    credential: TEXT,
    role: TEXT,
    tenant_id: TEXT,
    auth: { type: 'string', enum: ['on', 'off'], description: 'off: development mode' },
    can: {
      type: 'array',
      items: { type: 'string', enum: ABILITIES.map(([name]) => name) },
      description: 'Actions that this caller may take',
    },
    decides: { type: 'string', description: 'The roles that may decide, in a sentence' },
    login: { type: 'boolean', description: 'Whether people can log in with a browser' },
    four_eyes: { type: 'boolean', description: 'Nobody may let a change of their own pass' },
    idle_ends_at: { ...TEXT_OR_NULL, description: 'When the session ends unless it is used' },
    ends_at: { ...TEXT_OR_NULL, description: 'When the session ends anyway; null: no session' },
  },
  additionalProperties: false,
} as const;

const DECIDES = {
  admin:
    'With a session, admins override and approve; with a JWT, cab-members and above; with the ' +
    'override token, machines.',
  'cab-member':
    'With a session or a JWT, cab-members and above override and approve; with the override ' +
    'token, machines.',
} as const satisfies Record<SessionDecisions, string>;

/** Of callers without a session. */
const NO_END = { idle_ends_at: null, ends_at: null };

const PAGE = { ...GET, auth: ACCESS.everybody, query: null } as const;

/** The dashboard and its session endpoint. */
export const DASHBOARD_ROUTES = [
  {
    ...PAGE,
    name: 'dashboard',
    path: '/cra',
    summary: 'The dashboard: public and without data, which it reads from the API',
    data: HTML,
    contentType: 'text/html; charset=utf-8',
    refusals: [404],
  },
  {
    ...PAGE,
    name: 'dashboard-asset',
    path: '/cra/assets/:name',
    summary: 'A file of the dashboard',
    data: FILE,
    contentType: 'text/javascript; charset=utf-8',
    refusals: [404],
  },
  {
    ...PAGE,
    name: 'session',
    path: '/api/cra/auth/session',
    summary: 'The authenticated caller and the actions that it may take',
    auth: ACCESS.self,
    data: SESSION,
  },
] as const satisfies readonly Route[];

export interface DashboardOptions {
  assets: Assets;
  may: Authentication['may'];
  isAuthEnabled: boolean;
  sessionDecisions: SessionDecisions;
  fourEyes: boolean;
  /** Null: logging in is not configured. */
  sessions: Pick<Sessions, 'ends'> | null;
}

export type DashboardRouteName = (typeof DASHBOARD_ROUTES)[number]['name'];

/** Handlers of the page, its files, and `auth/session`. */
export function createDashboardHandlers({
  assets,
  may,
  isAuthEnabled,
  sessionDecisions,
  fourEyes,
  sessions,
}: DashboardOptions): Readonly<Record<DashboardRouteName, Handler>> {
  const facts = (principal: Principal) => ({
    id: principal.id,
    name: principal.name,
    email: principal.email ?? null,
    credential: principal.credential,
    role: principal.role,
    tenant_id: principal.tenant_id,
    auth: isAuthEnabled ? 'on' : 'off',
    can: ABILITIES.filter(([, row]) => may(principal, row)).map(([name]) => name),
    decides: DECIDES[sessionDecisions],
    login: sessions !== null,
    four_eyes: fourEyes,
  });
  const ends = async ({ credential }: Principal, cookies: string) =>
    (credential === 'session' && (await sessions?.ends(cookies))) || NO_END;
  return {
    dashboard: async () => assets.page(),
    'dashboard-asset': async ({ params, request }) =>
      assets.asset(params[0] ?? '', request.headers.acceptEncoding),
    async session({ principal, request }) {
      const data = { ...facts(principal), ...(await ends(principal, request.headers.cookies)) };
      return dataReply(JSON.stringify(data));
    },
  };
}
