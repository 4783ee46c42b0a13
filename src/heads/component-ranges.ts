import {
  type ComponentMap,
  type ComponentVerdict,
  isOfBranch,
  isPassing,
} from '../model/components.ts';
import { CraError } from '../model/errors.ts';
import { RULES } from '../model/limits.ts';
import { baselineId } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { Base, Head } from './base.ts';
import type { HeadVerdict, Judged, KnownHeads, Standing } from './components.ts';
import { HEADS } from './limits.ts';

/** The verdict on a range. */
export interface JudgedRange {
  /** Its components have no base yet. */
  record: RfcRecord;
  /** Components that files move to from others: with renames the diff hides what these bring. */
  movesTo: readonly string[];
  /** Commits of the range. */
  commits: number;
}

/** The range of the whole repository, as it was judged from its base. */
interface WholeRange extends JudgedRange {
  base: Pick<Base, 'sha'>;
}

/** The range of the whole repository, and of which push it is. */
export interface PartedRange extends JudgedRange {
  head: Pick<Head, 'ref' | 'sha'>;
  base: Base;
  /** Components of this commit that somebody rejected; null: the commit is not rejected. */
  rejected: ReadonlySet<string> | null;
}

/** The components of a push, and the RFCs on which their verdicts depend. */
export interface PartedVerdict {
  key: string;
  components: ComponentVerdict[];
  dependsOn: string[];
}

/** Judges the range from a commit (null: the empty tree) to the head. */
type JudgeFrom = (base: string | null, withoutRenames: boolean) => Promise<JudgedRange>;

/**
 * The verdicts of the components that a push touches, each over the range since its own newest
 * accepted head (docs/why/heads.md, "Components"). A component that is refused at the newest head
 * of the same ref and was not touched since stands as it stood (`same_as`): it is judged once. A
 * component that files move to has its verdict from the range without renames.
 */
export async function judgeComponents(
  whole: PartedRange,
  known: KnownHeads,
  map: ComponentMap,
  judge: JudgeFrom,
): Promise<PartedVerdict> {
  const ranges = new Ranges(whole, judge);
  const joined = await findLines(known, ranges);
  const parts = new Parts({ whole, known, ranges, ...joined });
  const components: ComponentVerdict[] = [];
  for (const component of map.components) {
    if (!isOfBranch(component, whole.record.branch)) continue;
    const verdict = await parts.verdictOf(component.id);
    if (verdict !== null) components.push(verdict);
  }
  return { key: map.key, components, dependsOn: parts.dependsOn() };
}

/** The ranges of a push that its components are judged over, each judged once. */
export class Ranges {
  private readonly whole: WholeRange;
  private readonly judge: JudgeFrom;
  private readonly known = new Map<string | null, Promise<OwnRange | null>>();

  constructor(whole: WholeRange, judge: JudgeFrom) {
    this.whole = whole;
    this.judge = judge;
  }

  /** Null: there are too many ranges, or git cannot show this one. */
  from(base: string | null): Promise<OwnRange | null> {
    const isMore = !this.known.has(base) && this.known.size >= HEADS.COMPONENT_RANGES_MAX;
    if (isMore) return Promise.resolve(null);
    const own = this.known.get(base) ?? this.judgeFrom(base).catch(ifTooLarge);
    this.known.set(base, own);
    return own;
  }

  private async judgeFrom(from: string | null): Promise<OwnRange> {
    const judged = from === this.whole.base.sha ? this.whole : await this.judge(from, false);
    const { commits, movesTo } = judged;
    const { components = [] } = judged.record;
    if (movesTo.length === 0) return { commits, touched: ofRange(components, from) };
    const { components: bare = [] } = (await this.judge(from, true)).record;
    const isTarget = ({ id }: ComponentVerdict) => movesTo.includes(id);
    const all = [...components.filter((one) => !isTarget(one)), ...bare.filter(isTarget)];
    return { commits, touched: ofRange(all, from) };
  }
}

interface OwnRange {
  commits: number;
  touched: ReadonlyMap<string, ComponentVerdict>;
}

function ofRange(components: readonly ComponentVerdict[], base: string | null) {
  return new Map(components.map((one) => [one.id, { ...one, base }]));
}

function ifTooLarge(thrown: unknown): null {
  if (CraError.fromUnknown(thrown).code === 'OUT_OF_RANGE') return null;
  throw thrown;
}

/**
 * The judged heads that a push joins, newest first: none of them is behind another one. One alone,
 * where the range since the newest has no commit that is older than that.
 */
async function findLines(known: KnownHeads, ranges: Ranges): Promise<Joined> {
  const [newest, ...older] = known.judged;
  if (newest === undefined) return { judged: known.judged, lines: [] };
  const { sha = '' } = newest[0] ?? {};
  const at = known.shas.indexOf(sha);
  const isAlone = older.length === 0 || (await ranges.from(sha))?.commits === at;
  if (isAlone) return { judged: known.judged, lines: [{ sha, judged: known.judged }] };
  const judged = await known.all();
  const lines: Line[] = [];
  for (let left = judged; left.length > 0; ) {
    const { sha: head } = left[0]?.[0] ?? { sha };
    // Of more lines than have ranges nothing is looked at: their components are refused.
    const isKnown = lines.length < HEADS.COMPONENT_RANGES_MAX;
    const behind = isKnown ? await known.behind(head) : new Set([head]);
    const isBehind = ([one]: readonly HeadVerdict[]) => behind.has(one?.sha ?? head);
    lines.push({ sha: head, judged: judged.filter(isBehind) });
    left = left.filter((one) => !isBehind(one));
  }
  return { judged, lines };
}

/** What a push joins, and all judged heads that were looked at for it, newest first. */
interface Joined {
  judged: Judged;
  lines: readonly Line[];
}

/** A judged head, and the judged heads behind it, itself first. */
interface Line {
  sha: string;
  judged: Judged;
}

interface PartsOptions extends Joined {
  whole: PartedRange;
  known: KnownHeads;
  ranges: Ranges;
}

/** Finds the verdict of each component. */
class Parts {
  private readonly options: PartsOptions;
  /** Judged heads that not all lines have, newest first. */
  private readonly apart: Judged;
  private readonly used = new Set<HeadVerdict>();

  constructor(options: PartsOptions) {
    const { lines, judged: all, whole } = options;
    this.options = options;
    const isCommon = (one: readonly HeadVerdict[]) =>
      lines.every(({ judged }) => judged.includes(one));
    this.apart = lines.length < 2 ? [] : all.filter((one) => !isCommon(one));
    for (const { judged } of lines) {
      const [newest = []] = judged;
      const own = newest.find(({ ref }) => ref === whole.head.ref) ?? newest[0];
      if (own !== undefined) this.used.add(own);
    }
  }

  /** A rejected push is never judged again: what it depended on may fall all the same. */
  dependsOn(): string[] {
    const ids = [...this.used].flatMap(({ sha, rfc_id, record }) => {
      if (rfc_id === null) return [baselineId(sha)];
      return record?.overall_status === 'REJECTED' ? (record.push?.rests_on ?? []) : [rfc_id];
    });
    return [...new Set(ids)];
  }

  /** Null: nothing of the component is open. */
  async verdictOf(id: string): Promise<ComponentVerdict | null> {
    const { whole, ranges, lines } = this.options;
    const at = await Promise.all(lines.map((line) => this.knownAt(line.judged, id)));
    const own = await this.ofRange(id, at);
    const all = whole.rejected === null ? null : await ranges.from(whole.base.sha);
    if (whole.rejected?.has(id)) return rejectedAgain(id, own);
    return worst([own, all?.touched.get(id)]);
  }

  private async ofRange(id: string, at: readonly (Standing | null)[]) {
    const standing = await this.standingOn(id);
    if (standing !== null) return standing;
    if (!(await this.isOpen(id, at))) return null;
    const { ranges, lines } = this.options;
    for (const [index, line] of lines.entries()) {
      const isRejected = at[index]?.verdict?.status === 'REJECTED' && at[index].kind === 'refused';
      if (isRejected && (await ranges.from(line.sha))?.touched.has(id) === false) {
        return rejectedAgain(id, at[index]?.verdict ?? null);
      }
    }
    const verdicts: (ComponentVerdict | undefined)[] = [];
    for (const base of await this.basesOf(id, at)) {
      const range = await ranges.from(base);
      verdicts.push(range === null ? unseen(id, at) : range.touched.get(id));
    }
    return worst(verdicts);
  }

  /** The newest head that says how a component stands. */
  private async knownAt(judged: Judged, id: string): Promise<Standing | null> {
    const { known, whole } = this.options;
    for (const one of judged.slice(0, HEADS.COMPONENT_HEADS_MAX)) {
      const all = await Promise.all(one.map((by) => known.standing(by, id)));
      const refused = all.filter(({ kind }) => kind === 'refused');
      const best =
        all.find(({ kind }) => kind === 'accepted') ??
        refused.find(({ by }) => by.ref === whole.head.ref) ??
        refused[0];
      if (best !== undefined) return best;
    }
    return null;
  }

  /** A refusal at the newest head of the same ref, since which no commit touches the component. */
  private async standingOn(id: string): Promise<ComponentVerdict | null> {
    const { known, whole, ranges } = this.options;
    const { ref } = whole.head;
    const own = this.options.judged.slice(0, HEADS.COMPONENT_HEADS_MAX).flat();
    for (const by of own.filter((one) => one.ref === ref)) {
      const { kind, verdict } = await known.standing(by, id);
      if (kind === 'unknown') continue;
      if (kind === 'accepted' || verdict === null) break;
      // A merge with other commits of the component is one of them itself.
      const behind = this.apart.length === 0 ? null : await known.behind(by.sha);
      const others = behind === null ? [] : await this.listedIn(this.apart, id);
      if (others.some((other) => behind?.has(other.by.sha) === false)) break;
      const range = await ranges.from(by.sha);
      if (range === null || range.touched.has(id)) break;
      return { ...verdict, same_as: verdict.same_as ?? by.rfc_id };
    }
    return null;
  }

  /** Whether the push may have brought something of it, or a head behind does not accept it. */
  private async isOpen(id: string, at: readonly (Standing | null)[]): Promise<boolean> {
    const { ranges, whole } = this.options;
    if (at.some((each) => each?.kind !== 'accepted')) return true;
    const [newest] = at;
    const range = await ranges.from(newest ? newest.by.sha : whole.base.sha);
    if (range === null || range.touched.has(id)) return true;
    // What this line has is what the push has; another one may be what counts all the same.
    return this.isCut || (await this.listedIn(this.apart, id)).length > 0;
  }

  /** More heads stand apart than are looked through. */
  private get isCut(): boolean {
    return this.apart.length > HEADS.COMPONENT_HEADS_MAX;
  }

  /** Heads with a verdict of its own on a component, newest first. */
  private async listedIn(judged: Judged, id: string) {
    const { known } = this.options;
    const found: Standing[] = [];
    for (const by of judged.slice(0, HEADS.COMPONENT_HEADS_MAX).flat()) {
      const one = await known.standing(by, id);
      const { verdict } = one;
      const isOwn = verdict === null || verdict.same_as === null || isPassing(verdict.status);
      if (one.kind !== 'unknown' && one.isAbout && isOwn) found.push(one);
    }
    return found;
  }

  /**
   * The newest accepted head of a component: where the push joins lines, by the commits that its
   * verdicts are about. Of lines then also a newer head that refuses it (what comes after that was
   * not accepted either), and heads that may be newer. The worst counts.
   */
  private async basesOf(id: string, at: readonly (Standing | null)[]): Promise<(string | null)[]> {
    const { whole, lines } = this.options;
    if (lines.length === 0) return [whole.base.sha];
    const isMerge = this.apart.length > 0;
    const apart = await this.listedIn(this.apart, id);
    const [first] = apart;
    if (first !== undefined && !this.isCut) {
      const newest = apart.find(isAccepted);
      const others = [first];
      for (const other of apart) if (await this.mayBeNewer(other, first)) others.push(other);
      const bases = [newest, ...others].map((one) => one && this.baseOf(one, at));
      const older = newest === undefined ? await this.olderBases(id, at) : [];
      return [...new Set([...older, ...bases.filter((one) => one !== undefined)])];
    }
    const accepted = at.filter((each) => each !== null && isAccepted(each)) as Standing[];
    if (accepted.length === 0) return [...new Set(await this.olderBases(id, at))];
    const counted = isMerge && this.isCut ? accepted : accepted.slice(0, 1);
    return counted.map((one) => this.baseOf(one, at));
  }

  /** The head of the line has the same files of the component: nothing touched it since. */
  private baseOf(one: Standing, at: readonly (Standing | null)[]): string {
    const { lines } = this.options;
    this.used.add(one.by);
    if (this.apart.length === 0) return one.by.sha;
    const own = at[lines.findIndex(({ judged }) => judged.some((each) => each.includes(one.by)))];
    if (!own || (isAccepted(one) && !isAccepted(own))) return one.by.sha;
    this.used.add(own.by);
    return own.by.sha;
  }

  /** Of a component that no head accepts before others refused it. */
  private async olderBases(id: string, at: readonly (Standing | null)[]) {
    const { judged, whole } = this.options;
    const older = (await this.listedIn(judged, id)).find(isAccepted);
    if (older === undefined) return at.map((each) => each?.verdict?.base ?? whole.base.sha);
    this.used.add(older.by);
    return [older.by.sha];
  }

  /**
   * Whether a commit of the push of `first`, which is the newer head, may be older than another
   * one: it may be the only one of them that touches the component.
   */
  private async mayBeNewer(other: Standing, first: Standing): Promise<boolean> {
    const { known } = this.options;
    if (other.by.sha === first.by.sha) return false;
    const behind = await known.behind(first.by.sha);
    if (behind.has(other.by.sha)) return false;
    const theirs = await known.behind(other.by.sha);
    const from = known.shas.indexOf(other.by.sha);
    const until = known.shas.indexOf(first.verdict?.base ?? '');
    const between = known.shas.slice(from + 1, until === -1 ? undefined : until);
    return between.some((sha) => behind.has(sha) && !theirs.has(sha));
  }
}

function isAccepted({ kind }: Standing): boolean {
  return kind === 'accepted';
}

/** The first that is refused counts. */
function worst(all: readonly (ComponentVerdict | null | undefined)[]): ComponentVerdict | null {
  const found = all.filter((one) => one !== null && one !== undefined);
  return found.find(({ status }) => !isPassing(status)) ?? found[0] ?? null;
}

const NOTHING_FOUND = { risk_score: 0, findings: [], findings_total: 0 };

/** What somebody rejected comes again, by another push. */
function rejectedAgain(id: string, known: ComponentVerdict | null): ComponentVerdict {
  const finding = { id: 'commit-rejected', severity: 'critical', file: null, line: null } as const;
  const { findings, findings_total, risk_score } = known ?? NOTHING_FOUND;
  const others = findings.filter((one) => one.id !== finding.id);
  const all = [finding, ...others].slice(0, RULES.COMPONENT_FINDINGS_MAX);
  const total = findings_total + all.length - findings.length;
  const found = { risk_score, findings: all, findings_total: Math.max(total, all.length) };
  return { id, status: 'BLOCKED', ...found, base: null, same_as: null };
}

/** A range that was not looked at. */
function unseen(id: string, at: readonly (Standing | null)[]): ComponentVerdict {
  const before = at.find((each) => each?.verdict)?.verdict ?? { id, ...NOTHING_FOUND, base: null };
  return { ...before, status: 'BLOCKED', same_as: null };
}
