import { asBuffer } from '../../diff/bytes.ts';
import { type GateFinding, severityRank } from '../../model/finding.ts';
import type { Offered } from '../../rpc/contract.ts';
import { PROGRAM } from '../limits.ts';
import { unitsOf } from './fragments/units.ts';
import { languageOf, mayHandOn } from './languages.ts';
import { CallerSearch } from './program/callers.ts';
import type { ProgramTree, SourceFile } from './program/tree.ts';
import { clip } from './report/findings.ts';
import type { Flow, Version, WholeReader } from './whole-reader.ts';

/** A changed file whose users the change does not touch. */
export interface Helper {
  readonly path: string;
  /** The version after the change. */
  readonly bytes: Uint8Array;
  /** Numbers of its lines (from 1) that the change adds, or beside which it removes some. */
  readonly changed: ReadonlySet<number>;
  /** What it offers before and after the change. */
  readonly base: readonly Offered[];
  readonly head: readonly Offered[];
}

interface CompletedFlowsInput {
  readonly helpers: readonly Helper[];
  /** Paths of all files of the change. */
  readonly touched: ReadonlySet<string>;
  readonly tree: ProgramTree;
  readonly reader: Pick<WholeReader, 'inspect' | 'cut'>;
}

/** Names of a changed file by which others may reach what the change does to it. */
interface Sought {
  readonly helper: Helper;
  /** The file that offers the names: the helper, or a file that uses it. */
  readonly path: string;
  readonly names: readonly string[];
}

/**
 * Findings in files that the change does not touch, of flows that it completes: a sanitizer removed
 * in a helper, a constant that turns off a check, a function that now runs a shell. They are
 * reported in the helper, where the change is; their steps name the other files.
 */
export async function findCompletedFlows(input: CompletedFlowsInput): Promise<GateFinding[]> {
  const { tree, reader, touched } = input;
  const search = new CallerSearch(tree);
  const helpers = new Map(input.helpers.map((helper) => [helper.path, helper]));
  const seen = new Set(touched);
  const findings: GateFinding[] = [];
  let sought = input.helpers.flatMap((helper): Sought[] => {
    const names = changedNames(helper);
    return names.length === 0 ? [] : [{ helper, path: helper.path, names }];
  });
  let left: number = PROGRAM.CALLERS_MAX;
  for (let depth = 0; depth < PROGRAM.CALLER_DEPTH_MAX && sought.length > 0; depth += 1) {
    const next: Sought[] = [];
    for (const one of sought) {
      const { files, isCut } = await search.find(one.path, one.names);
      const fresh = files.filter(({ path }) => !seen.has(path));
      const callers = fresh.slice(0, left);
      left -= callers.length;
      for (const { path } of callers) seen.add(path);
      if (isCut || callers.length < fresh.length) reader.cut.push(cutOf(one));
      const { length: before } = reader.cut;
      const { found, isLost } = await newFlows(reader, callers);
      if (isLost) reader.cut.push(cutOf(one));
      // What the flows of a caller lead to may be what the change touches.
      for (const { asked } of reader.cut.splice(before)) reader.cut.push(cutAt(one.helper, asked));
      findings.push(...found.map((finding) => inHelper(finding, one.helper, helpers)));
      const between = callers.filter(({ path, text }) => {
        return !mayHandOn(Buffer.from(text), languageOf(path) ?? 'js');
      });
      next.push(...between.flatMap((caller) => soughtBehind(one, caller)));
    }
    sought = next;
  }
  return findings;
}

/** Names that both versions offer, and behind which something else happens now. */
function changedNames({ base, head }: Helper): string[] {
  const before = doneBy(base);
  const after = doneBy(head);
  return [...after].flatMap(([name, does]) => {
    const old = before.get(name);
    return old === undefined || old === does ? [] : [name];
  });
}

/** Of each name what all do that have it: methods of several classes may. */
function doneBy(offered: readonly Offered[]): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const { name, does } of offered) found.set(name, [...(found.get(name) ?? []), does]);
  return new Map([...found].map(([name, all]) => [name, all.sort().join('\n')]));
}

type Cut = WholeReader['cut'][number];

function cutAt({ path }: Helper, asked: Cut['asked']): Cut {
  return { path, asked: asked.map((one) => ({ ...one, isData: false })) };
}

function cutOf({ helper, names }: Sought): Cut {
  const { path } = helper;
  return cutAt(
    helper,
    names.map((name) => ({ path, name: name || 'its users', isData: false })),
  );
}

/**
 * What callers have now, and had not before the change of what they use; `isLost`: a version of one
 * could not be looked at.
 */
async function newFlows(
  reader: CompletedFlowsInput['reader'],
  callers: readonly SourceFile[],
): Promise<{ found: GateFinding[]; isLost: boolean }> {
  const versions = callers.map(({ path, text }): Version => {
    const bytes = Buffer.from(text);
    return { path, bytes, mayBeMinified: false, side: 'head', isUnchanged: true };
  });
  const heads = await reader.inspect(versions);
  const withFlows = versions.flatMap((version, index) => {
    const head = heads[index];
    return typeof head === 'object' && head.length > 0 ? [{ version, head }] : [];
  });
  const asBase = withFlows.map(({ version }): Version => ({ ...version, side: 'base' }));
  const bases = await reader.inspect(asBase);
  const found = withFlows.flatMap(({ head }, index) => {
    const base = bases[index];
    return typeof base === 'object' ? newOf(head, base) : [];
  });
  return { found, isLost: [...heads, ...bases].some((one) => typeof one !== 'object') };
}

/** The text is the same on both sides, so a place says which finding is which. */
function newOf(head: readonly Flow[], base: readonly Flow[]): GateFinding[] {
  const key = ({ cwe, line, column }: GateFinding) => `${cwe}:${line}:${column}`;
  const before = new Map(base.map(({ finding }) => [key(finding), severityRank(finding.severity)]));
  return head.flatMap(({ finding }) => {
    const known = before.get(key(finding));
    return known !== undefined && known <= severityRank(finding.severity) ? [] : [finding];
  });
}

/** A finding of a caller at the place in the change that completes it. */
function inHelper(
  finding: GateFinding,
  helper: Helper,
  helpers: ReadonlyMap<string, Helper>,
): GateFinding {
  const steps = (finding.flow ?? []).flatMap(({ file, line }) => {
    const passed = helpers.get(file);
    return passed === undefined || line === null ? [] : [{ passed, line }];
  });
  const { passed, line } = steps.find((step) => step.passed.changed.has(step.line)) ?? {
    passed: helper,
    line: changedLine(helper),
  };
  const excerpt = asBuffer(passed.bytes).toString().split('\n')[line - 1] ?? '';
  const place = { file: passed.path, line, end_line: line, column: null };
  return { ...finding, ...place, excerpt: clip(excerpt) };
}

/** The first changed line of what does something else now. */
function changedLine(helper: Helper): number {
  const names = new Set(changedNames(helper));
  const lines = [...helper.changed].sort((left, right) => left - right);
  const isOffered = (line: number) =>
    helper.head.some((one) => names.has(one.name) && one.first <= line && line <= one.last);
  return lines.find(isOffered) ?? lines[0] ?? 1;
}

const IMPORTS = /^\s*(?:import|from|package|use)\b/;

/** Names that a caller offers where it uses one of the sought names. */
function soughtBehind({ helper, names }: Sought, { path, text }: SourceFile): Sought[] {
  const language = languageOf(path);
  if (language === null) return [];
  const lines = text.split('\n');
  const uses = new RegExp(`\\b(?:${names.filter((name) => /^\w+$/.test(name)).join('|')})\\b`);
  const using = unitsOf(text, language).filter(({ first, after }) => {
    return !IMPORTS.test(lines[first] ?? '') && uses.test(lines.slice(first, after).join('\n'));
  });
  const offered = using
    .flatMap((unit) => unit.names)
    .filter(
      (name) => !names.includes(name) && !/^(?:exports|module|this|self|__\w+__)$/.test(name),
    );
  return offered.length === 0 ? [] : [{ helper, path, names: [...new Set(offered)] }];
}
