import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fuzzer of API descriptions (https://schemathesis.io), and the validator of the document. */
const PACKAGES = ['schemathesis==4.32.5', 'openapi-spec-validator==0.9.0'];

/**
 * Where data that the schema allows may still be refused, and how. A schema cannot say more of
 * them: a text that is not a diff, a cursor that this service did not give, a regular expression
 * that does not compile or does not match its examples, a filter that is missing, a form of too
 * many bytes, an If-Match that names other rules than those in force, an acceptance that would have
 * ended already, a component that the rules do not name, a day that no month has, a report without
 * a run of a tool, evidence of neither a commit nor an environment, an
 * outcome of an RFC and a commit at once, the name of a repository (the
 * tool drops its pattern), a reason without a letter or a digit, whose signs the description's
 * pattern does not all name: patterns that every tool reads know no classes of Unicode.
 */
const REFUSALS: Readonly<Record<string, readonly number[]>> = {
  'POST /api/cra/analyze': [400],
  'GET /api/cra/rfcs': [400],
  'GET /api/cra/accepted': [400],
  'GET /api/cra/exceptions': [400],
  'GET /api/cra/emergencies': [400],
  'GET /api/cra/prod-check/{repo}': [400],
  'GET /api/cra/stats': [400],
  'GET /api/cra/audit': [400],
  'GET /api/cra/tasks': [400],
  'GET /api/cra/pending-tasks': [400],
  'POST /api/cra/pending-tasks': [400],
  'GET /api/cra/bulk-override': [400],
  'POST /api/cra/bulk-override': [400],
  'POST /api/cra/auth/password': [413],
  'POST /api/cra/auth/link': [413],
  'GET /api/cra/deploys': [400],
  'POST /api/cra/deploys': [400],
  'POST /api/cra/deploys/pass-freeze': [400],
  'POST /api/cra/events/replay': [400],
  'GET /api/cra/evidence': [400],
  'POST /api/cra/outcomes': [400],
  'POST /api/cra/reports': [400],
  'POST /api/cra/rfc/{rfc_id}/reports': [400],
  'POST /api/cra/rfc/{rfc_id}/override': [400, 412],
  'POST /api/cra/rfc/{rfc_id}/review-emergency': [400, 412],
  'POST /api/cra/rfc/{rfc_id}/review': [400],
  'POST /api/cra/rfc/{rfc_id}/delete': [400],
  'DELETE /api/cra/rfc/{rfc_id}': [400],
  'POST /api/cra/reject/{rfc_id}': [400],
  'POST /api/cra/accepted/end': [400],
  'POST /api/cra/pre-receive': [400],
  'POST /api/cra/pre-receive/unjudged': [400],
  'POST /api/cra/approve/{rfc_id}': [400, 412],
  'PUT /api/cra/rules': [400, 412],
  'POST /api/cra/rules/dry-run': [400],
  'POST /api/cra/rules/revisions/{number}/restore': [412],
};

/** What data that the schema allows may be answered anywhere. */
const EXPECTED = ['"2xx"', 401, 403, 404, 409, 429];

/** How data that the schema forbids may be refused; the tool itself does not know 412 and 413. */
const REFUSED = [400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 428, 429, 431];

const SETTINGS = Object.entries(REFUSALS)
  .map(
    ([operation, statuses]) => `[[operations]]
include-name = "${operation}"
checks.positive_data_acceptance.expected-statuses = [${[...EXPECTED, ...statuses].join(', ')}]
checks.negative_data_rejection.expected-statuses = [${REFUSED.join(', ')}]
`,
  )
  .join('\n');

/**
 * Each case comes from an address of its own: cases with wrong credentials are among them, and many
 * of these from one address are answered 429. The system's random numbers, as Hypothesis seeds
 * Python's own anew for each case. The daemon must run with SERVICE_TRUST_PROXY.
 */
const HOOKS = `import random
import schemathesis

@schemathesis.hook
def before_call(context, case, kwargs):
    address = ".".join(str(random.SystemRandom().randint(1, 254)) for _ in range(4))
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}
`;

/** The tools, installed for Python 3 into a directory of their own. */
export interface ApiTools {
  /** Throws when the document is not OpenAPI. */
  validate(documentPath: string): void;
  /** Sends what the description allows and forbids, until it is through or time is over. */
  fuzz(options: FuzzOptions): Promise<FuzzOutcome>;
}

export interface FuzzOptions {
  /** Base of the paths, without `/api/cra`. */
  url: string;
  documentPath: string;
  headers: Readonly<Record<string, string>>;
  seconds: number;
  seed: number;
}

export interface FuzzOutcome {
  /** Schemathesis ended with 0: no check failed. */
  holds: boolean;
  /** How many requests it made up, as it says. */
  cases: number;
  /** The failures as it prints them, at most 4,000 characters; else its last lines. */
  failures: string;
}

/** Installs them from PyPI into `directory`; throws when Python or the packages are not had. */
export function installApiTools(directory: string): ApiTools {
  const environment = join(directory, 'venv');
  execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' });
  const bin = (name: string) => join(environment, 'bin', name);
  execFileSync(bin('pip'), ['install', '--quiet', '--no-compile', ...PACKAGES], { stdio: 'pipe' });
  const settingsPath = join(directory, 'schemathesis.toml');
  writeFileSync(settingsPath, `hooks = "hooks.py"\n${SETTINGS}`);
  writeFileSync(join(directory, 'hooks.py'), HOOKS);

  return {
    validate(documentPath) {
      execFileSync(bin('openapi-spec-validator'), [documentPath], { stdio: 'pipe' });
    },
    async fuzz({ url, documentPath, headers, seconds, seed }) {
      const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const child = spawn(
        bin('schemathesis'),
        [
          ...['--config-file', settingsPath, 'run', documentPath, '--url', url, ...sent],
          ...['--phases', 'examples,coverage,fuzzing,stateful', '--continue-on-failure'],
          ...['--max-time', String(seconds), '--seed', String(seed)],
          ...['--request-timeout', String(REQUEST_TIMEOUT_SECONDS), '--no-color'],
        ],
        {
          cwd: directory,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, PYTHONPATH: directory },
        },
      );
      let text = '';
      const collect = (chunk: Buffer) => {
        text += chunk.toString();
      };
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      const [code] = (await once(child, 'close')) as [number | null];
      const cases = Number(/(\d+) generated/.exec(text)?.[1] ?? 0);
      const start = Math.max(text.indexOf('= FAILURES ='), text.indexOf('= ERRORS ='));
      const failures =
        start < 0 ? text.slice(-FAILURE_CHARS) : text.slice(start, start + FAILURE_CHARS);
      return { holds: code === 0 && cases > 0, cases, failures };
    },
  };
}

const FAILURE_CHARS = 4000;

/** Rules are tried in a process of their own, which takes seconds on a busy machine. */
const REQUEST_TIMEOUT_SECONDS = 120;
