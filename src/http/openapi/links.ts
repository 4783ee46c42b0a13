import type { RouteName } from '../api/routes.ts';

/** Where an answer holds what other operations ask for: the operation, and its parameters. */
type Links = Partial<
  Record<RouteName, Partial<Record<RouteName, Readonly<Record<string, string>>>>>
>;

const RFC = { rfc_id: '$response.body#/data/rfc_id' };
const REVISION = { number: '$response.body#/data/number' };

const LINKS: Links = {
  analyze: {
    rfc: RFC,
    sarif: RFC,
    override: RFC,
    approve: RFC,
    reject: RFC,
    delete: RFC,
    'delete-post': RFC,
    'prod-check': { repo: '$request.body#/repo_name' },
  },
  'rules-put': { 'rules-revision': REVISION, 'rules-restore': REVISION },
};

/** The links of an operation's answer. */
export function linksOf(name: string): Readonly<Record<string, object>> {
  const links = (LINKS as Readonly<Record<string, Links[RouteName]>>)[name] ?? {};
  return Object.fromEntries(
    Object.entries(links).map(([operationId, parameters]) => [
      operationId,
      { operationId, parameters },
    ]),
  );
}
