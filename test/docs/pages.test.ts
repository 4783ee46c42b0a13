import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { readConfig } from '../../src/daemon/config/config.ts';
import { ROUTES } from '../../src/http/api/all-routes.ts';
import { pathOf } from '../../src/http/openapi/document.ts';
import { contributingDiffs } from './contributing.ts';

const HANDBOOK = 'docs/README.md';
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

test('the README is short', (t) => {
  t.true(Buffer.byteLength(read('README.md')) <= 8 * 1024);
});

test('the handbook lists each page once', (t) => {
  const listed = [...read(HANDBOOK).matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\)/gm)].map(
    ([, link = '']) => join('docs', link),
  );
  const pages = PAGES.filter((path) => path.startsWith('docs/') && path !== HANDBOOK);
  t.deepEqual(listed.sort(), pages.sort());
});

for (const path of PAGES) {
  test(`each link of ${path} leads to a file and a heading that exist`, (t) => {
    const links = [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)];
    const dead = links
      .map(([, link = '']) => link)
      .filter((link) => !/^(?:https?|mailto):/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : join(dirname(path), file);
        if (!existsSync(target)) return true;
        return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
      });
    t.deepEqual(dead, []);
  });
}

/** Six lines of a page that is as wide as the code. */
const PARAGRAPH_CHARACTERS_MAX = 600;

for (const path of PAGES) {
  test(`no paragraph of ${path} has more than six lines`, (t) => {
    const text = withoutCode(read(path)).replace(/\]\([^)\s]+\)/g, ']');
    const long = text
      .split(/\n\s*\n|\n(?=\s*[-*] |\s*\d+\. |\|)/)
      .filter((part) => !/^\s*(?:\||<picture)/.test(part))
      .filter((part) => part.trim().length > PARAGRAPH_CHARACTERS_MAX);
    t.deepEqual(long, []);
  });
}

function withoutCode(page: string): string {
  return page.replace(/^```[\s\S]*?^```$/gm, '');
}

/** The anchors of headings, as Git hosts make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('docs/reference/settings.md has every setting that the service reads', (t) => {
  const asked = new Set<string>();
  readConfig(
    new Proxy<Record<string, string>>(
      {},
      {
        get(_env, name) {
          asked.add(String(name));
          return undefined;
        },
      },
    ),
  );
  const page = read('docs/reference/settings.md');
  const settings = [...asked].filter((name) => /^(?:SERVICE|CRA)_/.test(name));
  t.true(settings.length > 20);
  const missing = settings.filter((name) => !page.includes(`\`${name.replace(/_FILE$/, '')}`));
  t.deepEqual(missing, []);
});

test('the table of docs/reference/api.md has every endpoint of programs', (t) => {
  const table = read('docs/reference/api.md').split('## Answers')[0] ?? '';
  const missing = ROUTES.filter(({ path }) => /^\/api\/cra\/(?!auth\/)/.test(path))
    .map((route) => `\`${route.method} ${pathOf(route).replace('/api/cra/', '')}\``)
    .filter((call) => !table.includes(call));
  t.deepEqual(missing, []);
});

test('the examples of CONTRIBUTING apply to the tree', (t) => {
  const examples = contributingDiffs();
  t.is(examples.length, 6);
  for (const input of examples) {
    const { status, stderr } = spawnSync('git', ['apply', '--check', '-'], { input });
    t.is(status, 0, String(stderr));
  }
});

/** Tests that run commands of pages about tasks. */
const RUN: Record<string, readonly string[]> = {
  'test/docs/start.test.ts': ['emergencies', 'gitleaks', 'monorepo', 'own-rules', 'suppression'],
  'test/docs/deploys.test.ts': ['deploys'],
  'test/docs/webhooks.test.ts': ['gitea', 'github', 'gitlab', 'pull-requests'],
  'test/proof/release/instructions.ts': ['uninstall', 'upgrade'],
};

/** Pages whose commands no test runs, and why. */
const NOT_RUN: Record<string, string> = {
  ci: 'needs bandit, trivy and a plan; test/cli/analyze.test.ts gives cra such files, test/docs/ci.test.ts runs the jobs of the page',
  coverage: 'needs an organisation at a host; test/cli/hosts.test.ts runs cra hosts check',
  doctor: 'looks at the machine that it runs on; test/cli/doctor.test.ts runs it on a prepared one',
  events: 'writes below /etc; test/events/outbox.test.ts sends events again',
  evidence:
    'names changes of its own, and needs cosign; start/first-deploy.md runs get and verify, test/interop/evidence.test.ts key and export, test/proof/cosign.ts cosign; the forms of get for a deploy and a release run as calls alone',
  'large-repositories': 'fetches from github.com; no test runs cra mirror import to its end',
  'many-daemons':
    'needs systemd and MongoDB: test/proof/systemd/rolling-steps.ts starts cra@1 and cra@2',
  mcp: 'writes into the keyring, and calls another program; no test runs them',
  mongodb: 'needs an administrator: test/proof/release/two-versions.ts runs cra setup mongodb',
  operations: 'writes below /etc: test/interop/prometheus.test.ts checks the same files',
  'pre-receive': 'a hook with a token below /etc; start/first-host.md runs it with another',
  systemd:
    'needs systemd: test/proof/systemd installs the package; no test runs systemd-creds encrypt',
};

test('each page about a task says by a test that its commands run, or why they do not', (t) => {
  const commanded = readdirSync('docs/how-to').filter((name) =>
    /^ *```sh$/m.test(read(`docs/how-to/${name}`)),
  );
  const known = [...Object.values(RUN).flat(), ...Object.keys(NOT_RUN)].map((name) => `${name}.md`);
  t.deepEqual(known.sort(), commanded.sort());
});
