import { readFileSync } from 'node:fs';
import { Compile } from 'typebox/schema';

/** An operation that we call, out of the description that its host publishes. */
interface Operation {
  method: string;
  /** `/repos/{owner}/{repo}/pulls`. */
  path: string;
  query: string[];
  /** JSON Schema of the body; null: it takes none. No field that it does not name is taken. */
  body: Record<string, unknown> | null;
}

/** A request as it arrived, its path without that of the API. */
export interface HostRequest {
  method: string;
  /** With its query. */
  url: string;
  body: string;
}

/**
 * Why the description of a host does not know a request; null: it is as described. The files
 * `operations/<host>.json` name their sources.
 */
export function describeProblem(
  host: 'github' | 'gitea' | 'gitlab',
  { method, url, body }: HostRequest,
): string | null {
  const { pathname, searchParams } = new URL(url, 'http://host');
  const found = operationsOf(host).find((one) => one.method === method && one.isPath(pathname));
  if (found === undefined) return `no operation ${method} ${pathname}`;
  const unknown = [...searchParams.keys()].filter((name) => !found.query.includes(name));
  if (unknown.length > 0) return `${found.path}: no parameter ${unknown.join()}`;
  if (found.schema === null) return body === '' ? null : `${found.path}: takes no body`;
  const value: unknown = JSON.parse(body);
  if (found.schema.Check(value)) return null;
  return `${found.path}: ${JSON.stringify(found.schema.Errors(value)[1])}`;
}

interface KnownOperation extends Operation {
  isPath(path: string): boolean;
  schema: ReturnType<typeof Compile> | null;
}

const known = new Map<string, KnownOperation[]>();

function operationsOf(host: string): KnownOperation[] {
  const operations = known.get(host) ?? readOperations(host);
  known.set(host, operations);
  return operations;
}

function readOperations(host: string): KnownOperation[] {
  const text = readFileSync(`test/hosts/operations/${host}.json`, 'utf8');
  const { operations } = JSON.parse(text) as { operations: Operation[] };
  return operations.map((operation) => {
    const pattern = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`);
    const schema = operation.body === null ? null : Compile(operation.body);
    return { ...operation, schema, isPath: (path) => pattern.test(path) };
  });
}
