import type { TestFn } from 'ava';
import { CALLBACK_PATH } from '../../src/auth/oidc-login.ts';
import { fake } from '../../src/rules/fake.ts';
import { type DaemonProcess, startDaemonProcess, type Teardown, temporaryDir } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { type Browser, createBrowser, type Visit } from './browser.ts';
import { type Issuer, startIssuer } from './issuer.ts';

/** A daemon with authentication on, and every way to prove who somebody is. */
export interface Secured {
  daemon: DaemonProcess;
  issuer: Issuer;
  baseUrl: string;
  dataDir: string;
  apiToken: string;
  overrideToken: string;
  agentToken: string;
  /** Logs somebody in, by the name that is also the role. */
  login(role: string): Promise<Browser>;
  /** The same up to the address that the issuer sends the browser back to. */
  toCallback(browser: Browser, role: string, returnTo?: string): Promise<URL>;
}

/** Starts a real issuer and a real daemon that trusts it, and `X-Forwarded-For`. */
export async function startSecured(
  t: Teardown,
  env: Record<string, string> = {},
): Promise<Secured> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const issuer = await startIssuer(t, `${baseUrl}${CALLBACK_PATH}`);
  const apiToken = fake('api-', 40);
  const overrideToken = fake('override-', 40);
  const agentToken = fake('agent-', 40);
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir, {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: apiToken,
    CRA_OVERRIDE_TOKEN: overrideToken,
    CRA_AGENT_OVERRIDE_TOKEN: agentToken,
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: baseUrl,
    SERVICE_TRUST_PROXY: 'true',
    SERVICE_OIDC_ISSUER: issuer.url,
    SERVICE_OIDC_AUDIENCE: issuer.audience,
    SERVICE_OIDC_CLIENT_ID: issuer.dashboard.clientId,
    SERVICE_OIDC_CLIENT_SECRET: issuer.dashboard.clientSecret,
    SERVICE_SESSION_SECRET: fake('', 40),
    ...env,
  });

  async function toCallback(browser: Browser, role: string, returnTo = '/cra'): Promise<URL> {
    const isBack = (url: URL) => url.pathname === CALLBACK_PATH;
    const query = `return_to=${encodeURIComponent(returnTo)}`;
    const form = await browser.open(`${daemon.url}/auth/oidc?${query}`);
    let page: Visit = await browser.submit(form, { login: role, password: 'any' }, isBack);
    if (page.status === 200) page = await browser.submit(page, {}, isBack);
    return new URL(page.headers.get('location') ?? '', page.url);
  }

  return {
    daemon,
    issuer,
    baseUrl,
    dataDir,
    apiToken,
    overrideToken,
    agentToken,
    toCallback,
    async login(role) {
      const browser = createBrowser();
      const { status } = await browser.send(await toCallback(browser, role));
      if (status !== 303) throw new Error(`login of ${role}: ${status}`);
      return browser;
    },
  };
}

/** One for all tests of a file, started before them. */
export function securedForAll(test: TestFn): () => Secured {
  const undo: (() => unknown)[] = [];
  let secured: Secured | null = null;
  test.before(async () => {
    secured = await startSecured({ teardown: (step) => undo.push(step) });
  });
  test.after.always(async () => {
    for (const step of undo.reverse()) await step();
  });
  return () => {
    if (secured === null) throw new Error('not started');
    return secured;
  };
}

/** The `Cookie` header that a browser sends to the service. */
export function cookieOf(browser: Browser, baseUrl: string): string {
  const own = [...(browser.cookies.get(baseUrl) ?? [])];
  return own.map(([name, value]) => `${name}=${value}`).join('; ');
}
