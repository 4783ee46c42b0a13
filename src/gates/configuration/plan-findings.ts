import { createHmac } from 'node:crypto';
import {
  type GateFinding,
  plainFinding,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import type { ResourceKind } from '../../model/rules.ts';
import { type CompiledRule, type CompiledRules, titleOfRule } from '../patterns/compiled-rules.ts';
import type { Node } from './document.ts';
import { DocumentRules, type ResourceVersion } from './document-rules.ts';
import { PLANS } from './limits.ts';
import { isAllowed, shortened } from './report.ts';
import type { Resource } from './resources/resource.ts';
import { type Resources, resourcesOf } from './resources/resources.ts';
import type { PlannedChange, TerraformPlan } from './terraform-plan.ts';
import { weakened } from './weak-resources.ts';

/** Where a file of the change declares a resource. */
export interface DeclaredAt {
  readonly file: string;
  /** Null: the change removes the lines. */
  readonly line: number | null;
}

interface PlanInput {
  plan: TerraformPlan;
  rules: CompiledRules;
  fingerprintKey: Uint8Array;
  /** Where a resource is declared, as far as it is known. */
  declaredAt(change: PlannedChange): DeclaredAt | null;
}

/**
 * What a plan does: resources that it leaves weak, by the rules on documents of Terraform, and
 * resources that it deletes or replaces. The instances of a resource have one finding.
 */
export function planFindings(input: PlanInput): GateFinding[] {
  const { plan, rules } = input;
  const severityOf = (id: string) => rules.byId.get(id)?.pattern.severity ?? 'medium';
  const seen = new Inspection(plan, DocumentRules.of(rules), severityOf).look();
  const findings = [...byResource(seen)].flatMap((some) => {
    return findingOf(some, rules.byId.get(some[0].id), input);
  });
  return [...listed(findings), ...notes(input)];
}

/** What a rule sees in one resource of a plan. */
interface Seen {
  id: string;
  change: PlannedChange;
  severity: Severity;
  /** Values that make the fingerprint, besides the name of the resource. */
  match: string;
  note: string | null;
  /** The resource, or its content, goes away. */
  isLoss: boolean;
}

const DELETED = 'risk-plan-deleted';
const REPLACED = 'risk-plan-replaced';
/** A resource of the provider `kubernetes` is a manifest as well. */
const KINDS = ['terraform', 'kubernetes'] as const satisfies readonly ResourceKind[];

class Inspection {
  private readonly plan: TerraformPlan;
  private readonly rules: DocumentRules;
  private readonly severityOf: (id: string) => Severity;
  private readonly seen: Seen[] = [];
  /** Changes by which something goes away, and a rule says what. */
  private readonly losses = new Set<PlannedChange>();

  constructor(plan: TerraformPlan, rules: DocumentRules, severityOf: (id: string) => Severity) {
    this.plan = plan;
    this.rules = rules;
    this.severityOf = severityOf;
  }

  look(): readonly Seen[] {
    const modules = new Map<string, PlannedChange[]>();
    for (const change of this.plan.changes.values()) {
      const known = modules.get(change.module);
      if (known === undefined) modules.set(change.module, [change]);
      else known.push(change);
    }
    for (const [path, changes] of modules) {
      const references = this.plan.references.get(path);
      const module = references === undefined ? [] : [references];
      for (const kind of KINDS) this.module(kind, changes, module);
    }
    for (const change of this.plan.changes.values()) this.other(change);
    return this.seen;
  }

  private module(kind: ResourceKind, changes: readonly PlannedChange[], module: Node[]): void {
    const rootsOf = (side: 'before' | 'after') => changes.flatMap((one) => one[side] ?? []);
    const old = resourcesOf(kind, rootsOf('before'), module);
    const now = resourcesOf(kind, rootsOf('after'), module);
    const earlier = new Map(old.all.map((one) => [keyOf(one), one]));
    this.weak(kind, now, old, earlier);
    for (const resource of old.all) this.gone(kind, { resource, resources: old, isPart: false });
    for (const resource of now.all) {
      const was = earlier.get(keyOf(resource));
      if (was === undefined) continue;
      const before = { resource: was, resources: old, isPart: false };
      this.changed(kind, before, { resource, resources: now, isPart: false });
    }
  }

  private weak(
    kind: ResourceKind,
    now: Resources,
    old: Resources,
    earlier: ReadonlyMap<string, Resource>,
  ): void {
    const was = this.rules.look(kind, old, false);
    const known = new Set(was.map(({ id, resource }) => `${id} ${keyOf(resource)}`));
    for (const { id, resource, path, match } of this.rules.look(kind, now, false)) {
      const before = earlier.get(keyOf(resource));
      const isWeaker = before !== undefined && !known.has(`${id} ${keyOf(resource)}`);
      const own = { severity: this.severityOf(id), note: null };
      const said = isWeaker ? weakened(own.severity, path, before, old) : own;
      this.add(id, resource, { match, ...said });
    }
  }

  private gone(kind: ResourceKind, old: ResourceVersion): void {
    const change = this.changeOf(old.resource);
    const ids =
      change?.action === 'delete'
        ? this.rules.lookAtRemoved(kind, old)
        : change?.action === 'replace'
          ? this.rules.lookAtReplaced(kind, old)
          : [];
    const match = old.resource.address;
    for (const id of ids) this.add(id, old.resource, { match, isLoss: true });
    if (change !== undefined && ids.length > 0) this.losses.add(change);
  }

  private changed(kind: ResourceKind, before: ResourceVersion, now: ResourceVersion): void {
    const isReplaced = this.changeOf(now.resource)?.action === 'replace';
    const said = new Set(isReplaced ? this.rules.lookAtReplaced(kind, before) : []);
    for (const { id, match, note = null } of this.rules.lookAtChanged(kind, before, now)) {
      if (!said.has(id)) this.add(id, now.resource, { match, note });
    }
  }

  /** What is deleted or replaced, and no rule knows. */
  private other(change: PlannedChange): void {
    const { action, type, name } = change;
    if (this.losses.has(change) || (action !== 'delete' && action !== 'replace')) return;
    const id = action === 'delete' ? DELETED : REPLACED;
    const match = `${type}.${name}`;
    this.seen.push({ id, change, severity: 'low', match, note: null, isLoss: true });
  }

  private add(id: string, resource: Resource, said: Pick<Seen, 'match'> & Partial<Seen>): void {
    const change = this.changeOf(resource);
    if (change === undefined) return;
    const severity = this.severityOf(id);
    this.seen.push({ id, change, severity, note: null, isLoss: false, ...said });
  }

  private changeOf({ start }: Resource): PlannedChange | undefined {
    return this.plan.changes.get(start);
  }
}

function keyOf({ start, type, address }: Resource): string {
  return `${start} ${type} ${address}`;
}

/** What a rule sees in the instances of a resource. */
function byResource(seen: readonly Seen[]): Iterable<readonly [Seen, ...Seen[]]> {
  const found = new Map<string, [Seen, ...Seen[]]>();
  for (const one of seen) {
    const { module, type, name, action } = one.change;
    const key = JSON.stringify([one.id, one.severity, module, type, name, action]);
    const known = found.get(key);
    if (known === undefined) found.set(key, [one]);
    else known.push(one);
  }
  return found.values();
}

const VERBS = {
  create: 'creates',
  update: 'changes',
  replace: 'replaces',
  delete: 'deletes',
  read: 'reads',
} as const;

const FIXES: Readonly<Record<string, string>> = {
  [DELETED]: 'Make sure that nothing needs it any more, and that nothing in it is lost.',
  [REPLACED]: 'Make sure that it may be gone for a while, and that nothing in it is lost.',
};

function findingOf(
  [first, ...more]: readonly [Seen, ...Seen[]],
  rule: CompiledRule | undefined,
  { fingerprintKey, declaredAt }: PlanInput,
): GateFinding[] {
  const { id, change, severity, match, note, isLoss } = first;
  const at = declaredAt(change);
  if (rule !== undefined && isAllowed(rule, at?.file ?? '', match, match)) return [];
  const reason = isLoss && change.reason !== null ? `, as ${change.reason}` : '';
  const addresses = new Set([first, ...more].map((one) => one.change.address));
  const does = `The plan ${VERBS[change.action]} ${named(addresses)}${reason}.`;
  const said = rule?.pattern.message ?? '';
  const reportId = rule?.reportId ?? id;
  return [
    plainFinding({
      id: reportId,
      gate: 'risk',
      severity,
      ...(rule === undefined ? {} : titleOfRule(rule.pattern)),
      message: [said, note ?? '', does].filter((text) => text !== '').join(' '),
      file: at?.file ?? null,
      line: at?.line ?? null,
      end_line: at?.line ?? null,
      fingerprint: fingerprintOf(fingerprintKey, reportId, inModule(change, match)),
      cwe: rule?.pattern.cwe ?? null,
      fix: rule?.pattern.fix ?? FIXES[id] ?? null,
    }),
  ];
}

/** As of a finding in a file, where the resource is of the root module. */
function inModule({ module }: PlannedChange, match: string): string {
  return module === '' ? match : `${module}.${match}`;
}

function fingerprintOf(key: Uint8Array, id: string, match: string): string {
  const text = match.includes('\n') ? match.replace(/\s+/g, '') : match;
  return createHmac('sha256', key).update(`${id}\0`).update(text).digest('hex');
}

function named(addresses: ReadonlySet<string>): string {
  const shown = [...addresses].slice(0, PLANS.ADDRESSES_SHOWN_MAX).map(shortened);
  const left = addresses.size - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The worst of many findings, and how many there are besides. */
function listed(findings: readonly GateFinding[]): GateFinding[] {
  const left = findings.length - PLANS.FINDINGS_MAX;
  if (left <= 0) return [...findings];
  const rankOf = ({ severity }: GateFinding) => severityRank(severity);
  const worst = [...findings].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, PLANS.FINDINGS_MAX);
  const message = `${left} more findings of the plan are not listed`;
  return [...worst, plainFinding({ id: 'plan-unlisted', gate: 'risk', severity: 'high', message })];
}

/** What the plan does in all, and that it is not complete. */
function notes({ plan, fingerprintKey }: PlanInput): GateFinding[] {
  const count = (action: PlannedChange['action']) => {
    return [...plan.changes.values()].filter((one) => one.action === action).length;
  };
  const counts = `creates ${count('create')}, changes ${count('update')}, replaces ${count('replace')} and deletes ${count('delete')}`;
  const note = (id: string, severity: Severity, message: string): GateFinding => {
    const fingerprint = fingerprintOf(fingerprintKey, id, message);
    return plainFinding({ id, gate: 'risk', severity, message, fingerprint });
  };
  const read = note('plan-read', 'info', `The plan of Terraform ${counts} resources.`);
  const { incomplete } = plan;
  if (incomplete === null) return [read];
  const message = `the plan of Terraform does not show all that is to come: ${incomplete}`;
  return [read, note('plan-incomplete', 'medium', message)];
}
