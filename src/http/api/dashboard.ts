import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS, type AuthRow } from '../../auth/access.ts';
import type { Authentication } from '../../auth/authenticate.ts';
import type { Sessions } from '../../auth/sessions.ts';
import { unlessNotFound } from '../../model/errors.ts';
import type { Principal, SessionDecisions } from '../../model/principal.ts';
import { PROVIDERS, type Provider } from '../../model/push.ts';
import { STATUS, STATUSES } from '../../model/rfc.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL } from '../../model/schema.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply, notFound, type Reply, taggedReply, tagOf } from '../server/reply.ts';
import { GET, TAGGED, textOrNull } from './endpoint.ts';

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
    ...['four_eyes', 'hosts', 'idle_ends_at', 'ends_at'],
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
    hosts: {
      type: 'array',
      items: exactly({ id: TEXT, provider: { type: 'string', enum: [...PROVIDERS] }, url: TEXT }),
      description: 'Git hosts of the tenant that have pages, by the settings',
    },
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

interface DashboardOptions {
  assets: Assets;
  may: Authentication['may'];
  isAuthEnabled: boolean;
  sessionDecisions: SessionDecisions;
  fourEyes: boolean;
  /** Git hosts of the settings. */
  hosts: readonly { id: string; provider: Provider; url: string; tenantId: string }[];
  /** Null: logging in is not configured. */
  sessions: Pick<Sessions, 'ends'> | null;
}

type DashboardRouteName = (typeof DASHBOARD_ROUTES)[number]['name'];

/** Handlers of the page, its files, and `auth/session`. */
export function createDashboardHandlers({
  assets,
  may,
  isAuthEnabled,
  sessionDecisions,
  fourEyes,
  hosts,
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
    hosts: hosts
      .filter(({ tenantId, url }) => tenantId === principal.tenant_id && /^https?:/.test(url))
      .map(({ id, provider, url }) => ({ id, provider, url })),
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

/** A count above this says "so many or more". */
const COUNTED_MAX = 1_000;
/** All pages of a tenant are answered by one look at the store in this time. */
const LOOK_MS = 1_000;
/** The parts of the service are asked less often: some of them ask others. */
const PARTS_MS = 5_000;
/** RFCs and tenants that are remembered for that. */
const REMEMBERED_MAX = 1_000;

const COUNTS = exactly(
  Object.fromEntries(STATUSES.map((status) => [status, COUNT])) as Record<string, typeof COUNT>,
);

const PULSE = exactly({
  counts: { ...COUNTS, description: 'RFCs by status; counts_max stands for more' },
  counts_max: COUNT,
  newest: { ...TEXT_OR_NULL, description: 'Another text when there is a newer RFC' },
  oldest_blocked_at: TEXT_OR_NULL,
  pushes_waiting: { type: ['integer', 'null'], minimum: 0 },
  emergencies: {
    ...exactly({ due: COUNT, overdue: COUNT }),
    description: 'Reviews of emergency overrides that are due or overdue',
  },
  problems: { type: 'array', items: TEXT, description: 'Parts of the service that are not up' },
  version: TEXT,
  rfc: {
    anyOf: [{ type: 'null' }, exactly({ rfc_id: TEXT, overall_status: STATUS, rev: COUNT })],
    description: 'The RFC of ?rfc=; null: not asked for, or not found',
  },
});

const PULSE_QUERY = {
  type: 'object',
  properties: { rfc: { type: 'string', minLength: 1, maxLength: 128 } },
} as const;

export const PULSE_ROUTES = [
  {
    ...GET,
    ...TAGGED,
    name: 'pulse',
    path: '/api/cra/pulse',
    summary: 'What is new: counts, the newest RFC, the rev of ?rfc=; for pages that are open',
    auth: ACCESS.read,
    query: PULSE_QUERY,
    data: PULSE,
  },
] as const satisfies readonly Route[];

/** What a pulse is made of. */
interface PulseSource {
  /** Of a tenant: what the store has now. */
  counts(tenantId: string, most: number): Promise<object>;
  emergencies(tenantId: string): Promise<{ due: number; overdue: number }>;
  state(key: {
    tenant_id: string;
    rfc_id: string;
  }): Promise<{ overall_status: string; rev: number }>;
  pushesWaiting(): number | null;
  /** The state of each part of the service, by name. */
  parts(): Promise<Readonly<Record<string, unknown>>>;
  version: string;
  /** Ms, of a clock that never goes back. */
  now(): number;
}

/** The handler of the pulse: however many pages ask, the store is asked once a second. */
export function createPulseHandlers(source: PulseSource): Record<'pulse', Handler> {
  const { now, version } = source;
  const parts = remember(now, PARTS_MS, () => problemsOf(source));
  const tenants = remember(now, LOOK_MS, async (tenantId) => {
    const [counts, emergencies, problems] = await Promise.all([
      source.counts(tenantId, COUNTED_MAX),
      source.emergencies(tenantId),
      parts(''),
    ]);
    const pushes_waiting = source.pushesWaiting();
    const found = { ...counts, counts_max: COUNTED_MAX, emergencies };
    const rest = { ...found, pushes_waiting, problems, version };
    return JSON.stringify(rest).slice(0, -1);
  });
  const rfcs = remember(now, LOOK_MS, async (key) => {
    const [tenant_id = '', rfc_id = ''] = JSON.parse(key) as string[];
    const state = await source.state({ tenant_id, rfc_id }).catch(unlessNotFound);
    return JSON.stringify(state === null ? null : { rfc_id, ...state });
  });

  return {
    async pulse({ principal: { tenant_id }, query, request }) {
      const rfcId = textOrNull(query['rfc']);
      const [all, rfc] = await Promise.all([
        tenants(tenant_id),
        rfcId === null ? 'null' : rfcs(JSON.stringify([tenant_id, rfcId])),
      ]);
      const json = `${all},"rfc":${rfc}}`;
      return taggedReply(tagOf(json), request.headers.ifNoneMatch, () => dataReply(json));
    },
  };
}

async function problemsOf({ parts }: PulseSource): Promise<string[]> {
  const isWell = (state: unknown) => state === 'up' || state === 'not configured';
  const stateOf = (part: unknown) =>
    typeof part === 'object' && part !== null && 'state' in part ? part.state : 'up';
  return Object.entries(await parts())
    .filter(([, part]) => !isWell(stateOf(part)))
    .map(([name]) => name);
}

/** What `make` made of a key in the last `keepMs`, or is making; a failure is not kept. */
function remember<Value>(
  now: () => number,
  keepMs: number,
  make: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const known = new Map<string, { value: Promise<Value>; endsAt: number }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined && now() < found.endsAt) return found.value;
    const entry = { value: make(key), endsAt: now() + keepMs };
    known.delete(key);
    known.set(key, entry);
    entry.value.catch(() => known.delete(key));
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
    return entry.value;
  };
}

/** The dashboard as `npm run build` makes it, in memory: it is small, and no request reads disk. */
export interface Assets {
  page(): Reply;
  /** One file of the page, compressed as the browser takes it. Throws 404. */
  asset(name: string, acceptEncoding: string): Reply;
  /** The path of its style; null: the dashboard is not built. */
  stylesheet: string | null;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Nothing inline, nothing from elsewhere, no text that becomes markup: findings quote code that
 * an attacker has written.
 */
export const PAGE_HEADERS = [
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
] as const;

interface Asset {
  contentType: string;
  /** By the name in Accept-Encoding; `identity` is there always. */
  bodies: ReadonlyMap<string, Uint8Array>;
}

/** Reads the build in `directory`. Without one, every path is 404 and says how to make it. */
export function openAssets(directory: string): Assets {
  const folder = join(directory, 'assets');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const assets = new Map<string, Asset>();
  for (const name of files) {
    const contentType = TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const bodies = new Map<string, Uint8Array>([['identity', readFileSync(join(folder, name))]]);
    for (const [encoding, ending] of ENCODINGS) {
      if (files.includes(name + ending))
        bodies.set(encoding, readFileSync(join(folder, name + ending)));
    }
    assets.set(name, { contentType, bodies });
  }
  const style = files.find((name) => name.endsWith('.css'));
  const page = files.length === 0 ? null : readFileSync(join(directory, 'index.html'));
  return {
    page() {
      if (page === null) throw notFound('the dashboard is not built: run npm run build');
      const contentType = 'text/html; charset=utf-8';
      return { status: 200, contentType, body: page, headers: PAGE_HEADERS };
    },
    asset(name, acceptEncoding) {
      const asset = assets.get(name);
      if (asset === undefined) throw notFound('there is no such file of the dashboard');
      const encoding = chooseEncoding(acceptEncoding, asset.bodies);
      return {
        status: 200,
        contentType: asset.contentType,
        body: asset.bodies.get(encoding) ?? '',
        // The name changes with the content.
        cacheControl: 'public, max-age=31536000, immutable',
        headers: [
          ['Vary', 'Accept-Encoding'],
          ['Cross-Origin-Resource-Policy', 'same-origin'],
          ...(encoding === 'identity' ? [] : [['Content-Encoding', encoding] as const]),
        ],
      };
    },
    stylesheet: style === undefined ? null : `/cra/assets/${style}`,
  };
}

/** The first of ours that the browser takes (RFC 9110, 12.5.3); `q=0` refuses one. */
function chooseEncoding(accepted: string, bodies: Asset['bodies']): string {
  const wanted = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(';'))
    .filter(([, quality = '']) => !/^\s*q=0(?:\.0*)?\s*$/.test(quality))
    .map(([name = '']) => name.trim());
  return (
    ENCODINGS.map(([name]) => name).find((name) => wanted.includes(name) && bodies.has(name)) ??
    'identity'
  );
}
