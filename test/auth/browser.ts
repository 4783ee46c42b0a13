/** What a page answered: without redirects, as the test wants to see each of them. */
export interface Visit {
  status: number;
  url: URL;
  headers: Headers;
  text: string;
}

/** A browser as far as logins need one: cookies by host, redirects, forms. */
export interface Browser {
  /** One request, with the cookies of its host; redirects are not followed. */
  send(url: string | URL, init?: RequestInit): Promise<Visit>;
  /** The same, following redirects until `stop` says so or a page is there. */
  open(url: string | URL, stop?: (url: URL) => boolean, init?: RequestInit): Promise<Visit>;
  /** Fills in the form of a page and sends it. */
  submit(page: Visit, fields: Record<string, string>, stop?: (url: URL) => boolean): Promise<Visit>;
  /** Cookies by origin; tests may change them. */
  cookies: Map<string, Map<string, string>>;
}

/** A browser without any cookies. */
export function createBrowser(): Browser {
  const cookies: Browser['cookies'] = new Map();

  function keep(url: URL, headers: Headers): void {
    const own = cookies.get(url.origin) ?? new Map<string, string>();
    cookies.set(url.origin, own);
    for (const cookie of headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      const isGone = /max-age=0|expires=thu, 01 jan 1970/i.test(cookie);
      if (isGone) own.delete(name);
      else own.set(name, pair.slice(name.length + 1));
    }
  }

  const browser: Browser = {
    cookies,
    async send(target, init = {}) {
      const url = new URL(target);
      const own = [...(cookies.get(url.origin) ?? [])].map(([name, value]) => `${name}=${value}`);
      const headers = new Headers(init.headers);
      if (own.length > 0) headers.set('Cookie', own.join('; '));
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      keep(url, response.headers);
      const { status } = response;
      return { status, url, headers: response.headers, text: await response.text() };
    },
    async open(target, stop = () => false, init = {}) {
      let visit = await browser.send(target, init);
      for (;;) {
        const location = visit.headers.get('location');
        if (location === null) return visit;
        const next = new URL(location, visit.url);
        if (stop(next)) return visit;
        visit = await browser.send(next);
      }
    },
    submit(page, fields, stop) {
      const form = /<form[^>]*>[\s\S]*?<\/form>/.exec(page.text)?.[0] ?? '';
      const action = /action="([^"]+)"/.exec(form)?.[1] ?? page.url.href;
      const body = new URLSearchParams();
      for (const [input] of form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
        body.set(/name="([^"]+)"/.exec(input)?.[1] ?? '', /value="([^"]*)"/.exec(input)?.[1] ?? '');
      }
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const url = new URL(action, page.url);
      const headers = { Origin: page.url.origin, 'Sec-Fetch-Site': 'same-origin' };
      return browser.open(url, stop, { method: 'POST', headers, body });
    },
  };
  return browser;
}
