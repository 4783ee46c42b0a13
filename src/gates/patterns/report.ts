import { createHmac } from 'node:crypto';
import { type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { type GateFinding, plainFinding, severityRank } from '../../model/finding.ts';
import { FLOW } from '../../model/limits.ts';
import { RISK_GATE } from '../limits.ts';
import { checksumNote } from './checksums.ts';
import { type CompiledRule, titleOfRule } from './compiled-rules.ts';
import {
  clip,
  joinMasks,
  type Mask,
  maskOf,
  masksWithin,
  PathSecrets,
  renderExcerpt,
  SecretFinder,
  type Shown,
} from './excerpt.ts';
import { randomness, shannonEntropy } from './randomness.ts';
import { allows, type ByteRegex, type Candidate } from './regex.ts';

const LF = 0x0a;

/** A match of a rule, with everything that decides whether and how it is reported. */
export interface Hit {
  rule: CompiledRule;
  /** Null for matches in headers and on paths. */
  place: { line: number; endLine: number; column: number } | null;
  /** Null when there is nothing to show beside the path. */
  shown: Shown | null;
  texts: Candidate;
  /** Where the secret stands in the diff, line by line. */
  secretAt: readonly [start: number, end: number][];
  /**
   * Set when the texts do not stand in the diff but are made from it; `via` is a sentence on how,
   * null when that goes without saying.
   */
  derived?: { via: string | null };
  /** Set when the texts stand in the path, and `secretAt` says where in it. */
  isInPath?: true;
}

/** A hit that will be a finding. */
interface Kept {
  rule: CompiledRule;
  file: string;
  place: Hit['place'];
  shown: Shown | null;
  /** Known secrets in the part shown. */
  masks: Mask[];
  fingerprint: string;
  /** Sentences on how it was made, and on its checksum. */
  via: string | null;
}

/** Matches of one rule: how many are listed, and whether there are more. */
interface Tally {
  listed: number;
  hasMore: boolean;
}

/**
 * Collects what the rules match in a diff and turns it into findings. Excerpts are made at the
 * very end, when every secret of the diff is known: none shows one, whichever rule found it.
 */
export class Report {
  private readonly bytes: Buffer;
  private readonly key: Uint8Array;
  private readonly kept: Kept[] = [];
  private readonly secrets: Buffer[] = [];
  /** Where in the diff they stand. */
  private readonly places: (readonly [start: number, end: number])[] = [];
  private readonly tallies = new Map<CompiledRule, Tally>();
  private readonly unscanned = new Map<CompiledRule, { file: string; line: number | null }>();
  /** The first place at which encoded text was left as it is. */
  private leftEncoded: { file: string; line: number } | null = null;
  private paths: PathSecrets | null = null;
  private readonly hitRules = new Set<CompiledRule>();
  private file = '';
  private path: Buffer = Buffer.alloc(0);
  /** Hits and masks since the last `settle`. */
  private pending: { hit: Hit; fingerprint: string }[] = [];
  private readonly pendingOf = new Map<CompiledRule, Hit[]>();
  private masks: Mask[] = [];
  /** There were too many secrets to remember where: nothing of this hunk is shown. */
  private isBlind = false;
  private hunk: Hunk | null = null;
  /** What rules require of the current hunk, as far as it was asked for. */
  private readonly required = new Map<ByteRegex, boolean>();
  /** Rule, line and secret of what this file has had. */
  private seen = new Set<string>();

  constructor(bytes: Buffer, fingerprintKey: Uint8Array) {
    this.bytes = bytes;
    this.key = fingerprintKey;
  }

  openFile(file: string, path: Buffer): void {
    this.file = file;
    this.path = path;
    this.seen.clear();
  }

  openHunk(hunk: Hunk): void {
    this.hunk = hunk;
    if (this.required.size > 0) this.required.clear();
  }

  /** Takes a hit of the current file, if entropy and allowlists of its rule let it pass. */
  add(hit: Hit): void {
    const { rule, texts } = hit;
    if (rule.kind === 'secret' && hit.isInPath === undefined) this.maskSecret(hit);
    const tally = this.tallyOf(rule);
    if (tally.hasMore || !this.counts(rule, texts) || !this.isInContext(rule)) return;
    const value = rule.kind === 'secret' ? texts.secret : texts.match;
    const seenAs = `${rule.index} ${hit.place?.line ?? ''} ${value.toString('latin1')}`;
    if (this.seen.has(seenAs)) return;
    this.seen.add(seenAs);
    this.hitRules.add(rule);
    if (hit.derived !== undefined && this.isKnown(hit)) return;
    if (tally.listed === RISK_GATE.MATCHES_PER_RULE_MAX) {
      tally.hasMore = true;
      return;
    }
    tally.listed += 1;
    if (rule.kind === 'secret') this.remember(hit);
    const ofRule = this.pendingOf.get(rule);
    if (ofRule === undefined) this.pendingOf.set(rule, [hit]);
    else ofRule.push(hit);
    this.pending.push({ hit, fingerprint: this.fingerprint(rule.reportId, value) });
  }

  /** Whether the new side of the hunk has a line that the rule requires. */
  private isInContext({ requires }: CompiledRule): boolean {
    const { hunk, required } = this;
    if (requires === null || hunk === null) return true;
    const known = required.get(requires);
    if (known !== undefined) return known;
    const cursor = new LineCursor(this.bytes);
    cursor.open(hunk);
    let isThere = false;
    while (!isThere && cursor.next()) {
      if (cursor.kind === LINE.REMOVED) continue;
      isThere = requires.test(this.bytes.subarray(cursor.start, cursor.end));
    }
    required.set(requires, isThere);
    return isThere;
  }

  /** Notes that part of a line was not searched for a rule; nothing of that line is shown. */
  giveUp(rule: CompiledRule, line: number | null, range: { start: number; end: number }): void {
    this.mask({ start: range.start, end: range.end, visible: 0 });
    if (!this.unscanned.has(rule)) this.unscanned.set(rule, { file: this.file, line });
  }

  /** Notes that encoded text on the line was not, or not all, decoded. */
  leaveEncoded(line: number): void {
    this.leftEncoded ??= { file: this.file, line };
  }

  /** To be called when all rules have seen a hunk (or a header): puts its hits in order. */
  settle(): void {
    if (this.pending.length > 0) {
      this.pending.sort(({ hit: a }, { hit: b }) => byPlace(a, b));
      const masks = joinMasks(this.masks);
      const spokenFor = overlapped(this.pending.map(({ hit }) => hit));
      for (const { hit, fingerprint } of this.pending) {
        const { rule, place } = hit;
        if (spokenFor.has(hit)) continue;
        const shown = this.isBlind ? null : hit.shown;
        const own = shown === null ? [] : masksWithin(masks, clip(this.bytes, shown));
        const source = hit.isInPath ? IN_PATH : (hit.derived?.via ?? null);
        const checksum = checksumNote(rule.pattern.id, hit.texts.secret);
        const via = [source, checksum].filter((note) => note !== null).join(' ') || null;
        this.kept.push({ rule, file: this.file, place, shown, masks: own, fingerprint, via });
      }
      this.pending = [];
      this.pendingOf.clear();
    }
    if (this.masks.length > 0) this.masks = [];
    this.isBlind = false;
  }

  /** Rules that matched, also where a better one speaks for them. */
  rulesHit(): ReadonlySet<CompiledRule> {
    return this.hitRules;
  }

  /**
   * The secrets that were found: their places in the diff, and their values. Null when some are not
   * known, because a rule matches more often than it is looked at.
   */
  knownSecrets(): { places: (readonly [number, number])[]; values: Buffer[] } | null {
    const isCut = (rule: CompiledRule) => rule.kind === 'secret';
    const more = [...this.tallies].some(([rule, { hasMore }]) => hasMore && isCut(rule));
    if (more || [...this.unscanned.keys()].some(isCut)) return null;
    return { places: this.places, values: this.secrets };
  }

  /**
   * Renders parts of lines for people, with `masks` and with every secret of the diff masked; null
   * when there are too many secrets to look for. To be called when all hunks have been seen.
   */
  rangeRedactor(): ((shown: Shown, masks: readonly Mask[]) => string) | null {
    const finder = SecretFinder.of(this.secrets);
    if (finder === null) return null;
    return (shown, masks) =>
      renderExcerpt(this.bytes, shown, [...masks, ...finder.masks(this.bytes, shown)]);
  }

  /** All findings, in the order of the diff; the finding about omitted ones comes last. */
  findings(): GateFinding[] {
    if (this.kept.length === 0 && this.unscanned.size === 0 && this.leftEncoded === null) return [];
    const finder = SecretFinder.of(this.secrets);
    const findings: GateFinding[] = [];
    const seen = new Set<string>();
    for (const kept of this.kept) {
      // Several patterns may report as the same vuln-NN.
      const seenAs = `${kept.rule.reportId} ${kept.fingerprint} ${kept.place?.line} ${kept.file}`;
      if (seen.has(seenAs)) continue;
      seen.add(seenAs);
      findings.push(this.finding(kept, finder));
    }
    for (const [rule, tally] of this.tallies) {
      if (tally.hasMore) findings.push(this.moreMatches(rule));
    }
    for (const [rule, where] of this.unscanned) findings.push(this.notSearched(rule, where));
    if (this.leftEncoded !== null) findings.push(this.notDecoded(this.leftEncoded));
    return findings;
  }

  /**
   * Hides the secrets of the diff in other excerpts of it; null for an excerpt that has to be
   * dropped.
   */
  redactor(): (text: string) => string | null {
    if (this.secrets.length === 0) return (text) => text;
    const finder = SecretFinder.of(this.secrets);
    return (text) => {
      if (finder === null) return null;
      const bytes = Buffer.from(text);
      const cut = finder.cutMasks(bytes);
      if (cut === null) return null;
      const shown = { lineStart: 0, lineEnd: bytes.length, matchStart: 0, matchEnd: 0 };
      return renderExcerpt(bytes, shown, [...finder.masks(bytes, shown), ...cut]);
    };
  }

  /** The findings, of any gate, without the secrets in their `file`. */
  hidePaths(findings: readonly GateFinding[]): GateFinding[] {
    return this.paths === null ? [...findings] : this.paths.hide(findings);
  }

  private finding(kept: Kept, finder: SecretFinder | null): GateFinding {
    const { pattern, reportId } = kept.rule;
    const { place, shown } = kept;
    let excerpt: string | null = null;
    if (shown !== null && finder !== null) {
      const masks = [...kept.masks, ...finder.masks(this.bytes, shown)];
      excerpt = renderExcerpt(this.bytes, shown, masks);
    }
    return plainFinding({
      id: reportId,
      gate: 'risk',
      severity: pattern.severity,
      ...titleOfRule(pattern),
      message: kept.via === null ? pattern.message : `${pattern.message} ${kept.via}`,
      file: kept.file,
      line: place?.line ?? null,
      end_line: place?.endLine ?? null,
      column: place?.column ?? null,
      excerpt,
      fingerprint: kept.fingerprint,
      cwe: pattern.cwe ?? null,
      fix: pattern.fix ?? null,
    });
  }

  private moreMatches(rule: CompiledRule): GateFinding {
    const { id, severity } = rule.pattern;
    const max = RISK_GATE.MATCHES_PER_RULE_MAX;
    return plainFinding({
      id: rule.reportId,
      gate: 'risk',
      severity,
      title: `Rule ${id} matches more often than is listed`.slice(0, FLOW.TITLE_CHARS_MAX),
      message: `rule ${id} matches more than ${max} times; the rest is not listed`,
      fingerprint: this.fingerprint(rule.reportId, Buffer.from('\0more')),
      fix: 'Mend the matches that are listed, or split the change, and try again.',
    });
  }

  private notSearched(
    rule: CompiledRule,
    where: { file: string; line: number | null },
  ): GateFinding {
    const { id } = rule.pattern;
    return plainFinding({
      id: 'risk-unscanned',
      gate: 'risk',
      severity: 'high',
      message: `rule ${id} matches so often that from here on not all of the diff was searched`,
      file: where.file,
      line: where.line,
      end_line: where.line,
      fingerprint: this.fingerprint('risk-unscanned', Buffer.from(id)),
      fix: 'Split the change, or leave generated files out of it.',
    });
  }

  private notDecoded(where: { file: string; line: number }): GateFinding {
    return plainFinding({
      id: 'risk-undecoded',
      gate: 'risk',
      severity: 'low',
      message: 'so much text is encoded here that not all of it was decoded and searched',
      file: where.file,
      line: where.line,
      end_line: where.line,
      fingerprint: this.fingerprint('risk-undecoded', Buffer.from(where.file)),
      fix: 'Leave generated and encoded files out of the change.',
    });
  }

  /** Whether the rule has a hit where the texts of a derived one come from. */
  private isKnown(hit: Hit): boolean {
    const [first] = hit.secretAt;
    const last = hit.secretAt.at(-1);
    if (first === undefined || last === undefined) return false;
    const others = this.pendingOf.get(hit.rule) ?? [];
    return others.some(({ secretAt: [other] }) => {
      return other !== undefined && other[0] < last[1] && other[1] > first[0];
    });
  }

  private counts(rule: CompiledRule, texts: Candidate): boolean {
    const { entropy, randomness: least } = rule.pattern;
    if (entropy !== undefined && shannonEntropy(texts.secret) < entropy) return false;
    if (least !== undefined && randomness(texts.secret) < least) return false;
    return !rule.allowlists.some((list) => allows(list, texts, this.path));
  }

  /** A secret that spans lines shows its beginning on the first of them only. */
  private maskSecret(hit: Hit): void {
    for (const [index, [start, end]] of hit.secretAt.entries()) {
      this.mask(index === 0 ? maskOf(start, end) : { start, end, visible: 0 });
    }
  }

  private mask(mask: Mask): void {
    if (this.masks.length === RISK_GATE.MASKS_PER_HUNK_MAX) {
      this.isBlind = true;
      this.masks = [];
    }
    if (!this.isBlind) this.masks.push(mask);
  }

  private remember(hit: Hit): void {
    if (hit.isInPath) {
      this.secrets.push(Buffer.from(hit.texts.secret));
      this.paths ??= new PathSecrets();
      this.paths.add(this.file, hit.secretAt);
      return;
    }
    this.places.push(...hit.secretAt);
    for (const [start, end] of hit.secretAt) this.secrets.push(this.bytes.subarray(start, end));
    if (hit.derived !== undefined) this.secrets.push(Buffer.from(hit.texts.secret));
  }

  private tallyOf(rule: CompiledRule): Tally {
    const known = this.tallies.get(rule);
    if (known !== undefined) return known;
    const tally = { listed: 0, hasMore: false };
    this.tallies.set(rule, tally);
    return tally;
  }

  private fingerprint(id: string, value: Buffer): string {
    const hmac = createHmac('sha256', this.key).update(`${id}\0`);
    return hmac.update(withoutBlanks(value)).digest('hex');
  }
}

const IN_PATH = 'It is part of the name of the file or of a folder.';

/** Without what re-indentation and other line ends change in a value of several lines. */
function withoutBlanks(value: Buffer): Uint8Array {
  return value.includes(LF) ? new Uint8Array(value).filter((byte) => !isBlank(byte)) : value;
}

function isBlank(byte: number): boolean {
  return byte === LF || byte === 0x0d || byte === 0x20 || byte === 0x09;
}

/**
 * The hits whose secret another rule found as well, and better: with a graver severity, or before
 * it in the rule set, where the rules of one provider stand before the general ones.
 */
function overlapped(hits: readonly Hit[]): Set<Hit> {
  const secrets = hits.filter(
    ({ rule, secretAt }) => rule.kind === 'secret' && secretAt.length > 0,
  );
  secrets.sort((a, b) => startOf(a) - startOf(b));
  const dropped = new Set<Hit>();
  let best: Hit | null = null;
  for (const hit of secrets) {
    const overlaps = best !== null && best.rule !== hit.rule && startOf(hit) < endOf(best);
    if (best === null || !overlaps) {
      best = hit;
    } else if (isBetter(hit, best)) {
      dropped.add(best);
      best = hit;
    } else {
      dropped.add(hit);
    }
  }
  return dropped;
}

function isBetter(a: Hit, b: Hit): boolean {
  const graver = severityRank(a.rule.pattern.severity) - severityRank(b.rule.pattern.severity);
  return graver < 0 || (graver === 0 && a.rule.index < b.rule.index);
}

function startOf({ secretAt }: Hit): number {
  return secretAt[0]?.[0] ?? 0;
}

function endOf({ secretAt }: Hit): number {
  return secretAt[0]?.[1] ?? 0;
}

function byPlace(a: Hit, b: Hit): number {
  const line = (a.place?.line ?? 0) - (b.place?.line ?? 0);
  const column = (a.place?.column ?? 0) - (b.place?.column ?? 0);
  return line || column || a.rule.index - b.rule.index;
}
