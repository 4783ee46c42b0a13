import { javascriptTable } from '../../../../rules/catalogue/javascript.ts';
import { type Facts, type Knowledge, knowledgeOf, type Special } from '../../engine/knowledge.ts';
import { cataloguedSink } from '../../sinks/catalogue.ts';
import { pollutionDanger } from '../../sinks/deserialise-and-pollution.ts';
import { SINKS } from '../../sinks/hints.ts';
import { ECMASCRIPT_NAMES } from '../../sinks/naming.ts';
import type { Danger, Sink } from '../../sinks/sink.ts';

const SPECIAL: Special = {
  naming: ECMASCRIPT_NAMES,
  sinksOf(catalogue) {
    const all: readonly Sink[] = [...SINKS, cataloguedSink(catalogue)];
    return {
      ignored: new Set(),
      inCall: (site) => first(all, (sink) => sink.inCall?.(site) ?? null),
      inTag: (site) => first(all, (sink) => sink.inTag?.(site) ?? null),
      inProperty: (site) => first(all, (sink) => sink.inProperty?.(site) ?? null),
      inAssign: (site) => first(all, (sink) => sink.inAssign?.(site) ?? null),
    };
  },
  pollution: (isRead) => pollutionDanger(isRead ? 'medium' : 'high'),
};

/** The first danger that one of the sinks sees. */
function first(sinks: readonly Sink[], look: (sink: Sink) => Danger | null): Danger | null {
  for (const sink of sinks) {
    const danger = look(sink);
    if (danger !== null) return danger;
  }
  return null;
}

/** What is known of JavaScript's packages and of what every program has. */
export const ecmascriptKnowledge: Knowledge = ecmascriptWith(javascriptTable);

/** What is known of JavaScript by another table, or by rows of the rules as well. */
export function ecmascriptWith(table: Facts, own: Facts | null = null): Knowledge {
  return knowledgeOf(table, own, SPECIAL);
}
