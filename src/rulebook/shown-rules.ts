import { PATTERN_LISTS, type Pattern, type RuleSet } from '../model/rules.ts';
import type { RulesInForce } from './rules-keeper.ts';

/** Parts of the rules in force, as JSON, for pages that show few of them at once. */
export interface ShownRules {
  /** The rules file; of each pattern only what a list shows. */
  list(): string;
  /** The rules file without the patterns that report other rules. */
  one(rule: string): string;
}

type Section = (typeof PATTERN_LISTS)[number];

interface Parts {
  of: RulesInForce;
  list: string;
  /** All but the patterns. */
  rest: Record<string, unknown>;
  /** The patterns of each rule as JSON, which takes less room than objects. */
  byRule: ReadonlyMap<string, string>;
}

/** Creates it; the rules are read once for each revision, when somebody asks. */
export function createShownRules(inForce: () => RulesInForce): ShownRules {
  let known: Parts | null = null;
  function parts(): Parts {
    const now = inForce();
    if (known?.of !== now) known = partsOf(now);
    return known;
  }
  return {
    list: () => parts().list,
    one(rule) {
      const { rest, byRule } = parts();
      const own = JSON.parse(byRule.get(rule) ?? '{}') as Partial<Record<Section, Pattern[]>>;
      return JSON.stringify({ ...rest, ...own });
    },
  };
}

function partsOf(of: RulesInForce): Parts {
  const file = JSON.parse(Buffer.from(of.json()).toString()) as Partial<RuleSet>;
  const rest: Record<string, unknown> = { ...file };
  const light: Partial<Record<Section, object[]>> = {};
  const byRule = new Map<string, Partial<Record<Section, Pattern[]>>>();
  for (const section of PATTERN_LISTS) {
    delete rest[section];
    light[section] = (file[section] ?? []).map(lightOf);
    for (const pattern of file[section] ?? []) {
      const rule = pattern.report_as ?? pattern.id;
      const own = byRule.get(rule) ?? {};
      byRule.set(rule, { ...own, [section]: [...(own[section] ?? []), pattern] });
    }
  }
  const texts = [...byRule].map(([rule, own]) => [rule, JSON.stringify(own)] as const);
  return { of, list: JSON.stringify({ ...rest, ...light }), rest, byRule: new Map(texts) };
}

function lightOf({ id, report_as, severity, description, cwe }: Pattern): object {
  // What is undefined is not in the JSON.
  return { id, report_as, severity, description, cwe };
}
