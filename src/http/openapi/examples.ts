import { createRouter, type Route } from '../server/route.ts';
import { parameterNames } from './document.ts';

/** A request, and the body of its answer. */
export interface Example {
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | number>>;
  /** Undefined: the request has no body. */
  body?: object;
  answer: object;
}

/** A call of a page and the block below it. */
export interface Call {
  /** Shell commands. */
  commands: string;
  /** The answer as the page shows it; null without one. */
  answer: { kind: string; text: string } | null;
}

/** A `sh` block of Markdown, and the `json` or `text` block that follows it at once. */
export const CALL_BLOCKS = /```sh\n([\s\S]*?)```\n(?:\n```(json|text)\n([\s\S]*?)```\n)?/g;

/** The calls of a Markdown page. */
export function callsOf(page: string): Call[] {
  return [...page.matchAll(CALL_BLOCKS)].map(([, commands = '', kind, text]) => ({
    commands,
    answer: kind === undefined ? null : { kind, text: text ?? '' },
  }));
}

const FILE = /^cat > (\S+) <<'EOF'\n([\s\S]*?)^EOF$/gm;
const VARIABLE = /^([A-Z]+)='([^']*)'$/gm;
const URL_OF = /"\$CRA_URL([^"?]+)(?:\?([^"]*))?"/;
const BODY = /-d (?:'([^']*)'|@(\S+)|"\$([A-Z]+)")/;

/**
 * The examples of docs/api.md by the name of their route: the first call with `curl` of each that
 * succeeds with JSON. A body stands in the call, in a file or in a variable that the page makes.
 */
export function examplesOf(page: string, routes: readonly Route[]): ReadonlyMap<string, Example> {
  const find = createRouter(routes);
  const texts = new Map<string, string>();
  const examples = new Map<string, Example>();
  for (const { commands, answer } of callsOf(page)) {
    for (const [, name = '', text = ''] of commands.matchAll(FILE)) texts.set(name, text);
    for (const [, name = '', text = ''] of commands.matchAll(VARIABLE)) texts.set(name, text);
    if (answer?.kind !== 'json') continue;
    const shown = JSON.parse(answer.text) as { ok?: boolean };
    const curl = commands.slice(commands.indexOf('curl '));
    const [, path = '', query = ''] = URL_OF.exec(curl) ?? [];
    const given = BODY.exec(curl);
    const text = given && (given[1] ?? texts.get(given[2] ?? given[3] ?? ''));
    const method = /-X (\w+)/.exec(curl)?.[1] ?? (text === null ? 'GET' : 'POST');
    const { route, params } = find(method, path);
    if (shown.ok === false || examples.has(route.name)) continue;
    const names = parameterNames(route);
    examples.set(route.name, {
      path: Object.fromEntries(names.map((name, at) => [name, params[at] ?? ''])),
      query: queryOf(route, new URLSearchParams(query)),
      ...(text == null ? {} : { body: JSON.parse(text) as object }),
      answer: shown,
    });
  }
  return examples;
}

function queryOf({ query }: Route, asked: URLSearchParams): Example['query'] {
  const schemas = (query?.['properties'] ?? {}) as Readonly<Record<string, { type?: string }>>;
  return Object.fromEntries(
    [...asked].map(([name, value]) => [
      name,
      schemas[name]?.type === 'integer' ? Number(value) : value,
    ]),
  );
}
