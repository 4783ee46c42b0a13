import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isSafeUrl } from '../core/credentials.ts';
import { callApi } from '../hosts/api.ts';
import { github } from '../hosts/github.ts';
import { CraError } from '../model/errors.ts';
import { wholeNumber } from './terminal.ts';

const SETUP = {
  /** The code that GitHub gives is valid for so long. */
  WAIT_MS: 3_600_000,
  CALL_DEADLINE_MS: 30_000,
  NAME_CHARS_MAX: 34,
} as const;

/**
 * `cra setup github-app`: registers an App from a manifest, in a browser, and writes its key and
 * webhook secret. Resolves with 0.
 * https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
export async function setUpGitHubApp(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const github = addressOf('github', values.github ?? 'https://github.com');
  const code = values.code ?? (await codeFromBrowser(github, values));
  const app = await convert(github, code);
  const folder = resolve(values.out ?? '.');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keyFile = resolve(folder, `${app.slug}-${app.id}.private-key.pem`);
  const secretFile = resolve(folder, `${app.slug}-${app.id}.webhook-secret`);
  // Neither can be shown again: what is there is not overwritten.
  writeFileSync(keyFile, app.pem, { mode: 0o600, flag: 'wx' });
  writeFileSync(secretFile, `${app.webhookSecret}\n`, { mode: 0o600, flag: 'wx' });
  const host = {
    id: 'github',
    provider: 'github',
    url: github,
    app_id: String(app.id),
    private_key_file: keyFile,
    webhook_secret_files: [secretFile],
  };
  process.stdout.write(`The GitHub App "${app.slug}" exists. Its key and webhook secret:

  ${keyFile}
  ${secretFile}

1. Add this to "hosts" in the file that SERVICE_VCS_CONFIG names, and restart the service:

${JSON.stringify(host, null, 2)}

2. Install the App for your repositories: ${app.url}/installations/new
3. Require the check cra/gate of this App on protected branches.
`);
  return 0;
}

const OPTIONS = {
  service: { type: 'string' },
  organization: { type: 'string' },
  github: { type: 'string' },
  name: { type: 'string' },
  out: { type: 'string' },
  port: { type: 'string' },
  code: { type: 'string' },
} as const;

type Values = { [Name in keyof typeof OPTIONS]?: string | undefined };

/** An address without `/` at the end. Throws INVALID_ARGUMENT. */
function addressOf(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && isSafeUrl(url) && !/[?#@]/.test(text)) return url.href.replace(/\/+$/, '');
  throw new CraError('INVALID_ARGUMENT', `--${option} must be an https address`);
}

/** The rights and events of the App: no more than the service uses. */
function manifestOf(service: string, name: string, redirectUrl: string) {
  return {
    name,
    url: `${service}/cra`,
    description: 'Judges the risk of each change before it is merged.',
    hook_attributes: { url: `${service}/api/cra/webhook`, active: true },
    redirect_url: redirectUrl,
    public: false,
    default_permissions: {
      actions: 'read',
      checks: 'write',
      contents: 'read',
      deployments: 'write',
      metadata: 'read',
      pull_requests: 'read',
    },
    default_events: [
      'push',
      'pull_request',
      'check_run',
      'check_suite',
      'deployment_protection_rule',
    ],
  };
}

/** Shows the manifest as a form on loopback, and waits for the code that GitHub sends back. */
async function codeFromBrowser(github: string, values: Values): Promise<string> {
  if (values.service === undefined) {
    const message = `--service is required: where GitHub reaches the service\n\n${GITHUB_APP_HELP}`;
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const service = addressOf('service', values.service);
  const name = values.name ?? `cra ${new URL(service).hostname}`.slice(0, SETUP.NAME_CHARS_MAX);
  if (name.length > SETUP.NAME_CHARS_MAX) {
    const message = `--name must have at most ${SETUP.NAME_CHARS_MAX} characters`;
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const owner = values.organization;
  if (owner !== undefined && !/^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/.test(owner)) {
    throw new CraError('INVALID_ARGUMENT', '--organization must be the name of an organization');
  }
  const port = values.port === undefined ? 0 : wholeNumber('port', values.port, 1, 65_535);
  const state = randomBytes(24).toString('base64url');
  const place = owner === undefined ? '/settings' : `/organizations/${owner}/settings`;
  const action = `${github}${place}/apps/new?state=${state}`;
  const server = createServer();
  const code = new Promise<string>((done, failed) => {
    const timer = setTimeout(() => {
      failed(new CraError('DEADLINE_EXCEEDED', 'GitHub sent no code within an hour'));
    }, SETUP.WAIT_MS);
    server.once('close', () => clearTimeout(timer));
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const given = url.searchParams.get('code');
      const isAnswer = url.pathname === '/created';
      if (isAnswer && given !== null && url.searchParams.get('state') === state) {
        response.writeHead(200, HEADERS).end(page('The App exists', CREATED), () => done(given));
      } else if (url.pathname === '/') {
        const { port: own } = server.address() as AddressInfo;
        const manifest = manifestOf(service, name, `http://127.0.0.1:${own}/created`);
        response.writeHead(200, HEADERS).end(page(`Register "${name}"`, formOf(action, manifest)));
      } else {
        response.writeHead(404, HEADERS).end(page('Not found', 'Open / instead.'));
      }
    });
    server.once('error', failed);
  });
  try {
    await listen(server, port);
    const { port: own } = server.address() as AddressInfo;
    process.stderr.write(`Open http://127.0.0.1:${own}/ in a browser of this machine and press the button.
From another machine: ssh -L ${own}:127.0.0.1:${own} this-machine. Or give the code in the
address bar after GitHub has made the App: cra setup github-app --code CODE\n`);
    return await code;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action https: http:",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};
const CREATED = 'Close this page; the command line goes on.';

function page(title: string, body: string): string {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8">`;
  return `${head}<title>${escaped(title)}</title><h1>${escaped(title)}</h1><p>${body}</p></html>\n`;
}

function formOf(action: string, manifest: object): string {
  const value = escaped(JSON.stringify(manifest));
  return `GitHub asks once more before it makes the App.<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${value}"><button>Register the App on GitHub</button></form>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface RegisteredApp {
  id: number;
  slug: string;
  url: string;
  pem: string;
  webhookSecret: string;
}

/** Exchanges the code for the App, once. Rejects with FAILED_PRECONDITION or UNAVAILABLE. */
async function convert(address: string, code: string): Promise<RegisteredApp> {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(code)) {
    throw new CraError('INVALID_ARGUMENT', '--code must be the code in the address bar');
  }
  const called = await callApi({
    url: `${github.apiUrl(address)}/app-manifests/${code}/conversions`,
    headers: { Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' },
    deadlineMs: SETUP.CALL_DEADLINE_MS,
    signal: new AbortController().signal,
  });
  if ('problem' in called) {
    throw new CraError('UNAVAILABLE', `GitHub does not answer: ${called.problem}`);
  }
  const { status, json } = called.answer;
  const { id, slug, html_url: url, pem, webhook_secret: webhookSecret } = (json ?? {}) as Answer;
  const isApp = typeof id === 'number' && /^[a-z0-9-]{1,100}$/.test(slug ?? '');
  if (status !== 201 || !isApp || !pem || !webhookSecret || !url || !slug) {
    const message = `GitHub does not take the code (status ${status}): it is valid once, for an hour`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  return { id, slug, url, pem, webhookSecret };
}

interface Answer {
  id?: number;
  slug?: string;
  html_url?: string;
  pem?: string;
  webhook_secret?: string;
}

export const GITHUB_APP_HELP = `usage: cra setup github-app --service URL [--organization NAME] [--github URL] [--name TEXT]
                            [--out DIR] [--port N]
       cra setup github-app --code CODE [--github URL] [--out DIR]

Registers a GitHub App for the service, by a page that it opens on this machine: GitHub shows what
the App may do, and makes it when you agree. Then writes the key and the webhook secret of the App
(mode 0600) and prints the settings of the host and the link to install it.

The App may write checks, and read contents, pull requests and metadata; GitHub sends it pushes and
pull requests.

  --service URL         where GitHub reaches the service: https://cra.example.com
  --organization NAME   owner of the App (default: your own account)
  --github URL          GitHub Enterprise Server (default: https://github.com)
  --name TEXT           name of the App, unique on GitHub (default: cra and the host of --service)
  --out DIR             folder of the two files (default: the current one)
  --port N              port of the page on loopback (default: a free one)
  --code CODE           the code of an App that GitHub has made, from the address bar

Exit code: 0 the App exists, 2 the command failed. See docs/how-to/github.md.
`;
