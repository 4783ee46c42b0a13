import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ACCESS } from '../../auth/access.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { notFound, type Reply, taggedReply, tagOf } from '../server/reply.ts';
import { PAGE_HEADERS } from './dashboard.ts';
import { GET, TAGGED } from './endpoint.ts';

const HTML_TYPE = 'text/html; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML_TYPE,
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** A name without `..`, so it stays in the folder; all files of the build have such names. */
const FILE = /^(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:html|css|js|json|png|svg)$/;

const PAGE = { ...GET, auth: ACCESS.everybody, query: null, contentType: HTML_TYPE } as const;

/** The handbook: public, as it holds what the project ships, and nothing of this installation. */
export const HANDBOOK_ROUTES = [
  {
    ...PAGE,
    name: 'handbook',
    path: '/cra/docs',
    summary: 'Redirects to the first page of the handbook',
    data: { type: 'string', description: 'A redirect' },
  },
  {
    ...PAGE,
    name: 'handbook-folder',
    path: '/cra/docs/',
    summary: 'The same, for an address with a slash behind',
    data: { type: 'string', description: 'A redirect' },
  },
  {
    ...PAGE,
    ...TAGGED,
    name: 'handbook-file',
    path: '/cra/docs/*',
    summary: 'A page of the handbook, or a file of its pages',
    data: { type: 'string', description: 'The page or file' },
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** Handlers of the handbook that `npm run docs` builds into `directory`. */
export function createHandbookHandlers(
  directory: string,
): Readonly<Record<(typeof HANDBOOK_ROUTES)[number]['name'], Handler>> {
  const read = (path: string) => readFile(join(directory, path)).catch(nullIfAbsent);
  return {
    handbook: async () => FIRST_PAGE,
    'handbook-folder': async () => FIRST_PAGE,
    async 'handbook-file'({ params, request }) {
      const [path = ''] = params;
      if (!FILE.test(path)) throw notFound('there is no such page of the handbook');
      const body = await read(path);
      if (body !== null) return fileReply(path, body, request.headers.ifNoneMatch);
      // Ids of own rules and of models have no page; the link beside a finding still helps.
      const unlisted = path.startsWith('rules/') ? await read('rules/unlisted.html') : null;
      if (unlisted === null) {
        throw notFound('there is no such page of the handbook; npm run docs builds it');
      }
      return { status: 404, contentType: HTML_TYPE, body: unlisted, headers: PAGE_HEADERS };
    },
  };
}

const FIRST_PAGE: Reply = {
  status: 303,
  contentType: 'text/plain',
  body: '',
  headers: [['Location', '/cra/docs/index.html'], ...PAGE_HEADERS],
};

function fileReply(path: string, body: Uint8Array, ifNoneMatch: string): Reply {
  const contentType = TYPES[extname(path)] ?? HTML_TYPE;
  const headers = contentType === HTML_TYPE ? PAGE_HEADERS : FILE_HEADERS;
  return taggedReply(tagOf(body), ifNoneMatch, () => ({
    status: 200,
    contentType,
    body,
    headers,
    cacheControl: 'no-cache',
  }));
}

const FILE_HEADERS = [['Cross-Origin-Resource-Policy', 'same-origin']] as const;

function nullIfAbsent(thrown: unknown): null {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
  throw thrown;
}
