import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notFound, type Reply } from './server/reply.ts';

/** The dashboard as `npm run build` makes it, in memory: it is small, and no request reads disk. */
export interface Assets {
  page(): Reply;
  /** One file of the page, compressed as the browser takes it. Throws 404. */
  asset(name: string, acceptEncoding: string): Reply;
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
const PAGE_HEADERS = [
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
