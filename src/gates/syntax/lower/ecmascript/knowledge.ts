import {
  checks,
  consumers,
  operations,
  packages,
  sanitizers,
} from '../../../../rules/catalogue/javascript.ts';
import type { CheckLine, ConsumerLine, SanitizerLine } from '../../../../rules/catalogue/line.ts';
import {
  createKnowledge,
  type Knowledge,
  type Lookups,
  type Sinks,
} from '../../engine/knowledge.ts';
import { SINKS } from '../../hints.ts';
import { pollutionDanger } from '../../sinks/deserialise-and-pollution.ts';
import { Catalogue } from '../../sinks/line-index.ts';
import {
  callbackLines,
  callLine,
  decoratorLine,
  isCatalogued,
  type Named,
  pathOfType,
  propagatorOf,
  readLine,
} from '../../sinks/packages.ts';

const SANITIZERS = new Catalogue<SanitizerLine>(sanitizers);
const CHECKS = new Catalogue<CheckLine>(checks);

const CONSUMERS = new Map<string, ConsumerLine[]>();
for (const line of consumers) {
  const names = line.option === undefined ? line.exports.split(' ') : [`option ${line.option}`];
  for (const name of names) CONSUMERS.set(name, [...(CONSUMERS.get(name) ?? []), line]);
}

/** The first danger that one of the sinks sees. */
const sinks: Sinks = {
  inCall: (site) => first((sink) => sink.inCall?.(site) ?? null),
  inTag: (site) => first((sink) => sink.inTag?.(site) ?? null),
  inProperty: (site) => first((sink) => sink.inProperty?.(site) ?? null),
  inAssign: (site) => first((sink) => sink.inAssign?.(site) ?? null),
};

function first(look: (sink: (typeof SINKS)[number]) => ReturnType<Sinks['inCall']>) {
  for (const sink of SINKS) {
    const danger = look(sink);
    if (danger !== null) return danger;
  }
  return null;
}

const lookups: Lookups = {
  catalogue: {
    sinksAt: () => [],
    assignsAt: () => [],
    namesSink: () => false,
    readAt: ({ origin }) => (origin === null ? null : readLine(origin)),
    callAt: (site) => callLine(site as Named),
    propagatorAt: (site) => propagatorOf(site as Named),
    sanitizerAt: (site) => SANITIZERS.find(site as Named),
  },
  isKnown: isCatalogued,
  sinks,
  pollution: (isRead) => pollutionDanger(isRead ? 'medium' : 'high'),
  callbacksAt: (site) =>
    callbackLines(site).map(({ line, package: entry }) => ({ line, package: entry.package })),
  consumersAt: (name) => CONSUMERS.get(name) ?? [],
  decoratorAt: decoratorLine,
  checkAt: (site) => CHECKS.find(site),
  pathOfType,
};

/** What is known of JavaScript's packages and of what every program has. */
export const ecmascriptKnowledge: Knowledge = createKnowledge(
  packages,
  sanitizers,
  operations,
  lookups,
);
