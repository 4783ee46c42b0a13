import { type Node, scalarsOf, valuesOf } from './document.ts';
import { fetchedRuns, mayFetch } from './fetch-run.ts';
import { type DocumentKind, runsByItself } from './kinds.ts';
import { FETCHES } from './limits.ts';
import { type Observation, observe } from './observation.ts';
import { lineEnd, type Piece } from './pieces.ts';
import type { Report } from './report.ts';

export const FETCH_RULE = 'risk-pipe-to-shell';
/** The same where nobody starts it: graver. */
export const SELF_RUNNING_RULE = 'risk-fetch-and-run';
export const GENERATE_RULE = 'risk-generate-fetch-and-run';

/** Scripts and programs that people start; in prose nothing runs. */
const SCRIPT =
  /\.(?:sh|bash|zsh|ksh|fish|ps[dm]?1|bat|cmd|py|pyw|[cm]?[jt]sx?|rb|rake|gemspec|p[lm]|php|go|rs|lua|groovy|gradle|kts|mk|mak|cmake|nix|tf|tpl|ya?ml|toml|cfg|bats|spec|service)$|(?:^|\/)(?:(?:GNU)?Makefile|Justfile|Taskfile[^/]*|Rakefile|Vagrantfile|Procfile|[^/.]+)$/i;
const PROGRAM = /\.(?:[cm]?[jt]sx?|css|json)$/i;
const UNSEARCHED = `the change has more than ${FETCHES.CHANGE_CHARS_MAX / 1024 / 1024} Mi characters in which something may be downloaded`;
const UNFOLLOWED = `it has more than ${FETCHES.DOWNLOADS_MAX} downloads in ${FETCHES.PIECE_CHARS_MAX / 1024} Ki characters, and the rest of them may be run`;

/** Whether the lines of a file may be commands, in whatever language. */
export function mayHoldCommands(path: string): boolean {
  return SCRIPT.test(path) || runsByItself(path);
}

/** Code that a change fetches and runs, in any text and in the values of documents. */
export class CommandChecks {
  private readonly report: Report;
  private searched = 0;
  private isSearchCut = false;
  /** Paths of files with more downloads than are followed. */
  private readonly cut = new Set<string>();

  constructor(report: Report) {
    this.report = report;
  }

  /** Looks at the lines of a text. */
  lines(path: string, piece: Piece): void {
    const { text } = piece;
    if (!mayFetch(text)) return;
    this.searched += text.length;
    if (this.searched > FETCHES.CHANGE_CHARS_MAX) {
      if (!this.isSearchCut) this.report.unread(path, 'commands', UNSEARCHED, 'medium');
      this.isSearchCut = true;
      return;
    }
    const isAuto = runsByItself(path.trimEnd());
    const runs = fetchedRuns(text);
    if (runs.isCut) this.unfollowed(path);
    const found = runs.found.flatMap(({ start, end }) => {
      const within = text.slice(start, end);
      const isWritten = lineEnd(text, start) - start <= FETCHES.LINE_CHARS_MAX;
      if (!isAuto && !isWritten && PROGRAM.test(path)) return [];
      const line = text.slice(text.lastIndexOf('\n', start) + 1, start);
      const rule = /^\s*\/\/go:generate\s/.test(line) ? GENERATE_RULE : FETCH_RULE;
      const id = isAuto ? SELF_RUNNING_RULE : rule;
      return [{ id, start, end, match: within, within }];
    });
    this.report.observed(path, piece, found);
  }

  /** Downloads beyond the bound: as grave as code that is fetched and run there. */
  unfollowed(path: string): void {
    if (this.cut.has(path)) return;
    this.cut.add(path);
    const worst = runsByItself(path.trimEnd()) ? 'high' : 'medium';
    this.report.unread(path, 'commands', UNFOLLOWED, worst);
  }
}

const PROSE_KEYS =
  /^(?:name|description|homepage|readme|author|license|keywords|repository|bugs|\$schema|title|url|badges)$/i;
const INSTALLS =
  /^(?:(?:pre|post)?(?:install|prepare|prepublish)|pnpm:devPreinstall|dependencies)$/;

/**
 * Commands anywhere in a document that fetch code and run it. `onCut` is called when not all
 * downloads of a command were followed.
 */
export function commandsIn(
  root: Node,
  kind: DocumentKind,
  isAuto: boolean,
  onCut: () => void,
): Observation[] {
  const found: Observation[] = [];
  const add = (node: Node, text: string, items: readonly Node[], isGrave: boolean) => {
    const runs = fetchedRuns(text);
    if (runs.isCut) onCut();
    for (const { start, end } of runs.found) {
      const within = text.slice(start, end);
      // Of a list, the item in which the download begins.
      let at = node;
      let length = 0;
      for (const item of scalarsOf(items)) {
        length += item.value.length + 1;
        if (start < length) {
          at = item;
          break;
        }
      }
      const id = isGrave ? SELF_RUNNING_RULE : FETCH_RULE;
      found.push({ ...observe(id, at, within.replace(/\s+/g, ' ')), within });
    }
  };
  const visit = (node: Node, isGrave: boolean): void => {
    if (node.kind === 'scalar') {
      add(node, node.value, [], isGrave);
      return;
    }
    const before = found.length;
    if (node.kind === 'list') {
      for (const item of node.items) visit(item, isGrave);
      const items = node.items.filter((item) => item.kind === 'scalar');
      if (found.length > before || items.length < 2) return;
      add(node, textsOf(items).join('\n'), items, isGrave);
      if (found.length === before) add(node, textsOf(items).join(' '), items, isGrave);
      return;
    }
    for (const { key, value } of node.entries) if (!PROSE_KEYS.test(key)) visit(value, isGrave);
    const parts = [...valuesOf(node, 'command'), ...valuesOf(node, 'args')];
    if (found.length === before && parts.length > 1) {
      const items = scalarsOf(parts);
      add(node, textsOf(items).join(' '), items, isGrave);
    }
  };
  if (kind !== 'package') visit(root, isAuto);
  else {
    for (const scripts of valuesOf(root, 'scripts')) {
      if (scripts.kind !== 'map') continue;
      for (const { key, value } of scripts.entries) visit(value, isAuto && INSTALLS.test(key));
    }
  }
  return found;
}

function textsOf(nodes: readonly Node[]): string[] {
  return scalarsOf(nodes).map(({ value }) => value);
}
