import { parseArgs } from 'node:util';
import type { DeployHold } from '../model/deploy.ts';
import { CraError } from '../model/errors.ts';
import { notOurAnswer } from './answer.ts';
import { dataOf, pauseFor, type ServiceReply, withService } from './service-client.ts';
import { printable } from './terminal.ts';

/** How often the service is asked while the command waits. */
const POLL_MS = 5_000;
/** How long behind the end of --wait the last answer may take. */
const LAST_ANSWER_MS = 5_000;
const WAIT_MS_MAX = 24 * 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * `cra prod-check`: asks a running service whether a repository, or a commit, may be deployed.
 * Resolves with 0 when it may, 1 when something holds it.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [repo, ...others] = positionals;
  if (!repo || others.length > 0) {
    throw new CraError('INVALID_ARGUMENT', 'give one REPO, as acme/shop');
  }
  const waitMs = values.wait === undefined ? null : durationOf(values.wait);
  const query = queryOf(values);
  const endsAt = performance.now() + (waitMs ?? 0);
  return await withService(values, async (client, signal) => {
    const late = waitMs === null ? null : AbortSignal.timeout(waitMs + LAST_ANSWER_MS);
    const call = async () => {
      try {
        const ends = late === null ? signal : AbortSignal.any([signal, late]);
        return await client.prodCheck(repo, query, ends);
      } catch (thrown) {
        if (signal.aborted || !late?.aborted) throw thrown;
        const message = `the service did not answer within --wait ${values.wait}`;
        throw new CraError('DEADLINE_EXCEEDED', message, { cause: thrown });
      }
    };
    for (;;) {
      const isLast = performance.now() + POLL_MS > endsAt;
      const answer = await ask(call, isLast);
      if (answer !== null && (answer.allowed || isLast)) {
        process.stdout.write(values.json ? `${JSON.stringify(answer)}\n` : textOf(repo, answer));
        return answer.allowed ? 0 : 1;
      }
      if (answer !== null) process.stderr.write(`${printable(`waiting: ${answer.reason}`)}\n`);
      await pauseFor(POLL_MS, signal);
    }
  });
}

/** What narrows the question. An empty option, as of an empty variable of a shell, is refused. */
function queryOf({ environment, sha, branch, component }: Narrowing): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ environment, sha, branch, component })) {
    if (value === '') throw new CraError('INVALID_ARGUMENT', `--${name} is empty`);
    if (value !== undefined) query.set(name, value);
  }
  return query;
}

type Narrowing = { [name in 'environment' | 'sha' | 'branch' | 'component']?: string };

/** What the command reads of the answer of `prod-check`. */
interface Answer {
  allowed: boolean;
  reason: string;
  approveUrl: string;
  deploy?: { holds: DeployHold[] };
}

/** Null: there is no answer yet, and the command waits. */
async function ask(call: () => Promise<ServiceReply>, isLast: boolean): Promise<Answer | null> {
  try {
    const reply = await call();
    const { status, error } = reply;
    const mayCome = status === NOT_FOUND || status >= SERVER_ERROR;
    if (error !== null && mayCome && !isLast) return null;
    const data = dataOf(reply);
    if (!isAnswer(data)) throw notOurAnswer();
    return data;
  } catch (thrown) {
    const isAway = thrown instanceof CraError && thrown.code === 'UNAVAILABLE';
    if (!isAway || isLast) throw thrown;
    return null;
  }
}

const NOT_FOUND = 404;
const SERVER_ERROR = 500;

function isAnswer(data: unknown): data is Answer {
  const { allowed, reason } = Object(data) as Record<string, unknown>;
  return typeof allowed === 'boolean' && typeof reason === 'string';
}

function textOf(repo: string, { allowed, reason, approveUrl, deploy }: Answer): string {
  const lines = [`${allowed ? 'ALLOWED' : 'HELD'}  ${repo}: ${reason}`];
  const holds = deploy?.holds ?? [];
  if (!allowed && holds.length === 0) lines.push(`  ${approveUrl}`);
  for (const { kind, reason: why, approve_url, may_decide } of holds) {
    const where = approve_url === null ? '' : `: ${approve_url}`;
    const who = may_decide === null ? '' : ` (${may_decide} may decide${where})`;
    lines.push(`  ${kind}: ${why}${who}`);
  }
  return `${lines.map(printable).join('\n')}\n`;
}

function durationOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms <= WAIT_MS_MAX) return ms;
  throw new CraError('INVALID_ARGUMENT', '--wait must be a time to 24h, as 90s, 10m or 2h');
}

const OPTIONS = {
  environment: { type: 'string' },
  sha: { type: 'string' },
  branch: { type: 'string' },
  component: { type: 'string' },
  wait: { type: 'string' },
  json: { type: 'boolean' },
  server: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra prod-check REPO [--environment NAME] [--sha COMMIT] [--component ID]
                      [--branch NAME] [--wait TIME] [--json] [--server URL] [--token TOKEN]

Asks a running service whether a repository may be deployed, and what holds it. With --environment
and --sha it asks about all changes between what runs there and the commit.

  --wait TIME        asks again, until it may be deployed or the time is over (90s, 10m, 2h);
                     a service that does not answer ends the command 5 s later
  --json             prints the answer of the service
  --server URL       the service (default: CRA_BASE_URL)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps

Exit code: 0 it may be deployed, 1 something holds it, 2 the command failed or no RFC is known.

  cra prod-check acme/shop --environment production --sha "$(git rev-parse HEAD)" --wait 10m
`;
