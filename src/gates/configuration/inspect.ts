import { createHmac } from 'node:crypto';
import { lineIndex, lineStarts } from '../../core/line-offsets.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import {
  type GateFinding,
  plainFinding,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import type { SettingsKind } from '../../model/rules.ts';
import { DOCUMENT_TAG } from '../../rules/risk/paths.ts';
import { isLesserPath } from '../coverage/paths.ts';
import { type CompiledRule, type CompiledRules, titleOfRule } from '../patterns/compiled-rules.ts';
import { allows } from '../patterns/regex.ts';
import {
  type ChangedFile,
  changedResources,
  type DeclaredPart,
  type RemovedResource,
} from './changed-resources.ts';
import { inspectCompose } from './compose.ts';
import { type Document, entriesOf, type Node, scalarsOf, valuesOf } from './document.ts';
import { DocumentRules } from './document-rules.ts';
import { fetchedRuns, mayFetch } from './fetch-run.ts';
import { inspectGitlab } from './gitlab.ts';
import { readHcl } from './hcl.ts';
import { readJson } from './json.ts';
import {
  type DocumentKind,
  isJson,
  kindOfDocument,
  type ResourceFile,
  resourceFileOf,
  runsByItself,
} from './kinds.ts';
import { DOCUMENTS, FETCHES, MIGRATIONS } from './limits.ts';
import { migrationFileOf } from './migrations/migration-file.ts';
import { type Observation, observe } from './observation.ts';
import { inspectPackage } from './packages.ts';
import { isSettings, SETTINGS } from './settings.ts';
import { blocksOfPart, declaredIn, kindsIn, weakResources } from './weak-resources.ts';
import { inspectWorkflow } from './workflows.ts';
import { loadYaml, type ReadYaml } from './yaml.ts';

interface ConfigurationInput {
  /** The diff, and its files. */
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** As `wantedForConfiguration` asked; null: there is no repository at hand. */
  trees: TreeFiles;
  /** Checks whose rule is absent are silent. */
  rules: CompiledRules;
  fingerprintKey: Uint8Array;
  /** Other files of the repository on both sides; null: they are not at hand. */
  program?: Readonly<Record<'base' | 'head', Folders>> | null;
}

/** Files by their folders; see `ProgramTree` of gate 2. */
interface Folders {
  read(paths: readonly string[]): Promise<readonly (string | null)[]>;
  list(folder: string): Promise<readonly string[]>;
}

interface Configuration {
  findings: GateFinding[];
  /** Paths of files that were read as whole documents, and no part of them was left out. */
  read: ReadonlySet<string>;
}

/** The versions of changed files that `inspectConfiguration` compares. */
export function wantedForConfiguration(files: readonly DiffFile[]): WantedFile[] {
  return bothVersions(files.filter((file) => isReadWhole(file) && file.change !== 'added'));
}

/** The same for files at which only rules on documents look: there may be many, of less weight. */
export function wantedForResources(files: readonly DiffFile[]): WantedFile[] {
  const wanted = files.filter((file) => !isReadWhole(file) && declaresResources(file));
  // The diff shows all of a file that it deletes, unless it was made without that.
  return bothVersions(
    wanted.filter(({ change, hunks }) => {
      return change !== 'added' && (change !== 'deleted' || hunks.length === 0);
    }),
  );
}

function bothVersions(files: readonly DiffFile[]): WantedFile[] {
  return files
    .slice(0, DOCUMENTS.FILES_MAX)
    .flatMap((file) => [
      ...(file.change === 'deleted' ? [] : [{ side: 'head', path: file.path } as const]),
      ...(hasBase(file) ? [{ side: 'base', path: file.oldPath ?? file.path } as const] : []),
    ]);
}

function isReadWhole({ change, content, hunks, path }: DiffFile): boolean {
  const isThere = change !== 'deleted' && content === 'text' && hunks.length > 0;
  return isThere && kindOfDocument(path.trimEnd()) !== null;
}

/** Whether rules on documents look at a file; a deleted one had resources. */
function declaresResources({ change, content, hunks, path }: DiffFile): boolean {
  const isShown = content === 'text' && (hunks.length > 0 || change === 'deleted');
  return isShown && resourceFileOf(path.trimEnd()) !== null;
}

/** A copy is all new. */
function hasBase({ change, path, oldPath }: DiffFile): boolean {
  if (change === 'copied' || oldPath === null) return false;
  const now = path.trimEnd();
  const before = oldPath.trimEnd();
  return (
    kindOfDocument(before) === kindOfDocument(now) && resourceFileOf(before) === resourceFileOf(now)
  );
}

/**
 * Gate 1 over files of configuration as data, and over scripts for code that is fetched and run.
 * A document of which both versions are at hand is read whole, and what its base had as well is
 * not reported; of any other file counts what the diff adds. A document that is there whole and
 * cannot be read is `config-unread`. Throws nothing.
 */
export async function inspectConfiguration(input: ConfigurationInput): Promise<Configuration> {
  const reader = new ConfigurationReader(input);
  for (const file of input.files) await reader.file(file);
  reader.changed();
  return { findings: reader.findings, read: reader.read };
}

/** Rules on lines that say less than the check of a whole document under the same id. */
const REPLACED: ReadonlySet<string> = new Set([
  'risk-alembic-drop',
  'risk-django-drop',
  'risk-gitlab-script-injection',
  'risk-install-download',
  'risk-install-script',
  'risk-js-migration-drop',
  'risk-liquibase-drop',
  'risk-rails-drop',
  'risk-schema-drop',
  'risk-sql-blocking-index',
  'risk-sql-column-drop',
  'risk-sql-constraints-off',
  'risk-sql-delete-all',
  'risk-sql-not-null',
  'risk-sql-rename',
  'risk-sql-row-security-off',
  'risk-sql-type-change',
  'risk-sql-update-all',
  'risk-workflow-branch-injection',
  'risk-workflow-script-injection',
]);

/**
 * Findings of rules on lines, and those of checks of documents under the same ids. Of two on one
 * line the first stays, as severe as the graver, so that who accepted it has accepted it still.
 * What a rule on lines saw in a document that was `read` whole counts if the check saw it, too;
 * a rule that a rules file puts in the place of a built-in one counts by itself.
 */
export function joinFindings(
  ofLines: readonly GateFinding[],
  ofDocuments: readonly GateFinding[],
  read: ReadonlySet<string>,
  rules: CompiledRules,
): GateFinding[] {
  if (read.size === 0 && ofDocuments.length === 0) return [...ofLines];
  const isReplaced = ({ id, line, file }: GateFinding) =>
    REPLACED.has(id) && line !== null && read.has(file ?? '') && isBuiltIn(rules, id);
  const saysMore = moreSaying(ofDocuments, rules);
  const joined: GateFinding[] = ofLines.filter((one) => {
    const isSaid = saysMore.some(({ ids, finding }) => {
      const isGrave = severityRank(finding.severity) <= severityRank(one.severity);
      return isGrave && ids.has(one.id) && overlap(finding, one);
    });
    if (isSaid) return false;
    if (!isReplaced(one)) return true;
    return ofDocuments.some((other) => other.id === one.id && overlap(other, one));
  });
  for (const one of ofDocuments) {
    const at = joined.findIndex((other) => other.id === one.id && overlap(other, one));
    const same = joined[at];
    if (same === undefined) joined.push(one);
    else if (severityRank(one.severity) < severityRank(same.severity)) {
      joined[at] = { ...same, severity: one.severity };
    }
  }
  const self = joined.filter(({ id }) => id === SELF_RUNNING_RULE || id === GENERATE_RULE);
  const isGraver = (one: GateFinding) =>
    one.id === FETCH_RULE && self.some((other) => overlap(other, one));
  return joined.filter((one) => !isGraver(one));
}

/** Findings of rules on documents, with the ids of rules on lines that say the same. */
function moreSaying(ofDocuments: readonly GateFinding[], { rules }: CompiledRules) {
  const replaced = new Map<string, ReadonlySet<string>>();
  for (const { pattern, reportId } of rules) {
    const own = pattern.document?.replaces;
    if (own !== undefined) {
      replaced.set(reportId, new Set([...(replaced.get(reportId) ?? []), ...own]));
    }
  }
  return ofDocuments.flatMap((finding) => {
    const ids = replaced.get(finding.id);
    return ids === undefined ? [] : [{ finding, ids }];
  });
}

function isBuiltIn({ rules }: CompiledRules, id: string): boolean {
  const isTagged = ({ pattern }: CompiledRule) => pattern.tags?.includes(DOCUMENT_TAG) ?? false;
  return rules.some((rule) => rule.pattern.id === id && isTagged(rule));
}

function overlap(one: GateFinding, other: GateFinding): boolean {
  if (one.file !== other.file || one.line === null || other.line === null) return false;
  const isBefore = (one.end_line ?? one.line) < other.line;
  return !isBefore && (other.end_line ?? other.line) >= one.line;
}

/** Scripts and programs that people start; in prose nothing runs. */
const MAY_FETCH =
  /\.(?:sh|bash|zsh|ksh|fish|ps[dm]?1|bat|cmd|py|pyw|[cm]?[jt]sx?|rb|rake|gemspec|p[lm]|php|go|rs|lua|groovy|gradle|kts|mk|mak|cmake|nix|tf|tpl|ya?ml|toml|cfg|bats|spec|service)$|(?:^|\/)(?:(?:GNU)?Makefile|Justfile|Taskfile[^/]*|Rakefile|Vagrantfile|Procfile|[^/.]+)$/i;
const PROGRAM = /\.(?:[cm]?[jt]sx?|css|json)$/i;
const UNSEARCHED = `the change has more than ${FETCHES.CHANGE_CHARS_MAX / 1024 / 1024} Mi characters in which something may be downloaded`;
const UNFOLLOWED = `it has more than ${FETCHES.DOWNLOADS_MAX} downloads in ${FETCHES.PIECE_CHARS_MAX / 1024} Ki characters, and the rest of them may be run`;
const FETCH_RULE = 'risk-pipe-to-shell';
/** The same where nobody starts it: graver. */
const SELF_RUNNING_RULE = 'risk-fetch-and-run';
const GENERATE_RULE = 'risk-generate-fetch-and-run';

/** A text, and which of its lines are new. */
interface Piece {
  text: string;
  /** Number in the new file of each line. */
  numbers: readonly number[];
  /** Null: all of them are new. */
  added: readonly boolean[] | null;
}

/** Where in the text of a piece a part of it begins. */
interface Place {
  piece: Piece;
  offset: number;
}

class ConfigurationReader {
  readonly findings: GateFinding[] = [];
  readonly read = new Set<string>();
  private readonly input: ConfigurationInput;
  private rules: Map<string, CompiledRule> | null = null;
  private readYaml: ReadYaml | null = null;
  private bytesRead = 0;
  private filesRead = 0;
  private count = 0;
  private mildCount = 0;
  private isListFull = false;
  private searched = 0;
  private isSearchCut = false;
  private readonly modules = new Map<string, Promise<ModuleFile[]>>();
  private moduleFiles = 0;
  private resourceChars = 0;
  private isResourcesCut = false;
  private isWantCut = false;
  /** Files with resources, as they are before and after the change. */
  private readonly changedFiles: ChangedFile<Place>[] = [];
  private isModuleCut = false;
  /** Paths of files with more downloads than are followed. */
  private readonly cut = new Set<string>();

  constructor(input: ConfigurationInput) {
    this.input = input;
  }

  async file(file: DiffFile): Promise<void> {
    const path = file.path.trimEnd();
    const resourceFile = declaresResources(file) ? resourceFileOf(path) : null;
    if (resourceFile !== null) {
      if (file.change === 'deleted') await this.deleted(file, path, resourceFile);
      else await this.resources(file, path, resourceFile);
    }
    const isThere = file.change !== 'deleted' && file.content === 'text' && file.additions > 0;
    if (isReadWhole(file)) {
      await this.document(file, path, kindOfDocument(path) as DocumentKind);
    } else if (isThere && (MAY_FETCH.test(path) || runsByItself(path))) {
      const { bytes } = this.input;
      // Most hunks hold no such word, and are not worth the lines.
      const hunks = file.hunks.filter(({ start, end }) => {
        return mayFetch(asBuffer(bytes).toString('latin1', start, end));
      });
      for (const piece of piecesOf(bytes, { ...file, hunks })) this.scripts(file.path, piece);
    }
  }

  private async document(file: DiffFile, path: string, kind: DocumentKind): Promise<void> {
    const { bytes, trees } = this.input;
    const isNew = file.change === 'added';
    const [piece, ...more] = piecesOf(bytes, file);
    if (isNew && piece !== undefined && more.length === 0) {
      await this.whole(file, kind, { ...piece, added: null }, null);
      return;
    }
    const head = trees?.find((one) => one.side === 'head' && one.path === file.path);
    if (head?.bytes) {
      const old = file.oldPath ?? file.path;
      const base = trees?.find((one) => one.side === 'base' && one.path === old);
      const before = hasBase(file) && base?.bytes ? textOf(base.bytes) : null;
      await this.whole(file, kind, wholePiece(textOf(head.bytes)), before);
      return;
    }
    if (trees !== null) this.unread(file.path, kind, 'the whole of it could not be read');
    for (const one of [...(piece === undefined ? [] : [piece]), ...more]) {
      await this.part(file.path, path, kind, one);
    }
  }

  /** A document that is there whole. */
  private async whole(
    file: DiffFile,
    kind: DocumentKind,
    piece: Piece,
    before: string | null,
  ): Promise<void> {
    const { text } = piece;
    const size = text.length + (before?.length ?? 0);
    this.bytesRead += size;
    this.filesRead += 1;
    if (this.bytesRead > DOCUMENTS.TOTAL_BYTES_MAX || this.filesRead > DOCUMENTS.FILES_MAX) {
      const message = `the change has more than ${DOCUMENTS.FILES_MAX} files of configuration, or more than ${DOCUMENTS.TOTAL_BYTES_MAX / 1024 / 1024} MiB of them`;
      this.unread(file.path, kind, message);
      this.scripts(file.path, piece);
      return;
    }
    const document = await this.parse(file.path, text);
    if (document.problem === null) {
      this.read.add(file.path);
    } else {
      this.unread(file.path, kind, document.problem);
      this.scripts(file.path, piece);
    }
    const found = observationsOf(file.path, kind, document, () => this.unfollowed(file.path));
    if (found.length === 0) return;
    const known = new Map<string, number>();
    if (before !== null) {
      const base = await this.parse(file.path, before);
      for (const one of observationsOf(file.oldPath ?? file.path, kind, base, () => undefined)) {
        known.set(keyOf(one), (known.get(keyOf(one)) ?? 0) + 1);
      }
    }
    const fresh = found.filter((one) => {
      const count = known.get(keyOf(one)) ?? 0;
      known.set(keyOf(one), count - 1);
      return count <= 0;
    });
    this.report(file.path, { ...piece, added: null }, fresh);
  }

  /** What a hunk shows of a document. */
  private async part(name: string, path: string, kind: DocumentKind, piece: Piece): Promise<void> {
    const found: Observation[] = [];
    for (const { text, offset } of isJson(path)
      ? [{ text: piece.text, offset: 0 }]
      : blocksOf(piece.text)) {
      const document = isJson(path) ? readJson(text, true) : await this.parse(path, text);
      for (const one of inspect(kind, document.roots, true)) {
        found.push({ ...one, start: one.start + offset, end: one.end + offset });
      }
    }
    this.report(name, piece, found);
    this.scripts(name, piece);
  }

  /** What rules on documents find in the resources of a file. */
  private async resources(file: DiffFile, path: string, kind: ResourceFile): Promise<void> {
    const { bytes, trees, rules } = this.input;
    const ready = DocumentRules.of(rules);
    if (ready.isEmpty) return;
    if (!/\.(?:tf|tofu|json)$/i.test(path)) this.readYaml ??= await loadYaml();
    const declare = (text: string) => declaredIn(kind, path, text, this.readYaml);
    const severityOf = (id: string) => this.severityOf(id);
    const pieces = piecesOf(bytes, file);
    const head = trees?.find((one) => one.side === 'head' && one.path === file.path);
    const isNew = file.change === 'added' && pieces.length === 1;
    const text = isNew ? pieces[0]?.text : head?.bytes ? textOf(head.bytes) : undefined;
    const base = trees?.find(({ side, path: other }) => {
      return side === 'base' && other === (file.oldPath ?? file.path);
    });
    if (kind === 'migration' && (text?.length ?? 0) > MIGRATIONS.CHARS_MAX) {
      // Dumps are long, and rules on lines look at them.
      this.unread(file.path, kind, LONG_MIGRATION, 'low');
      return;
    }
    this.resourceChars += text?.length ?? pieces.reduce((sum, piece) => sum + piece.text.length, 0);
    this.resourceChars += base?.bytes?.length ?? 0;
    if (this.resourceChars > DOCUMENTS.TOTAL_BYTES_MAX) {
      if (!this.isResourcesCut) this.unread(file.path, kind, TOO_MUCH, 'medium');
      this.isResourcesCut = true;
      return;
    }
    // Of a kind that is read whole for its own checks as well, they say it.
    if (trees !== null && text === undefined && kindOfDocument(path) === null) {
      this.unreadHead(file.path, kind, head !== undefined);
    }
    if (text !== undefined) {
      const declared = declare(text);
      if (declared.problem !== null && kindOfDocument(path) === null) {
        this.unread(file.path, kind, declared.problem, 'medium');
      }
      const old = !isNew && hasBase(file) && base?.bytes ? declare(textOf(base.bytes)) : null;
      if (kind === 'migration') {
        const isRun = migrationFileOf(path)?.place === 'migration';
        if (isRun && declared.problem === null) this.read.add(file.path);
        if (isRun && old !== null && saysAnother(declared.roots, old.roots))
          this.altered(file.path);
      }
      const added = isNew ? null : addedOffsets(text, pieces);
      const hasModule = kind === 'terraform';
      const module = hasModule ? await this.module(path, 'head') : [];
      const moduleBefore = hasModule && old !== null ? await this.module(path, 'base') : [];
      const { found, known } = weakResources({
        rules: ready,
        severityOf,
        declared,
        module,
        before: old,
        moduleBefore,
        isPart: false,
        isTouched: (start, end) => added?.some((at) => at >= start && at <= end) ?? true,
      });
      this.report(file.path, isNew ? (pieces[0] as Piece) : wholePiece(text), found);
      if (known > 0) this.knownBefore(file.path, known);
      const place = { piece: wholePiece(text), offset: 0 };
      const isPart = false;
      const before =
        old === null
          ? this.oldParts(file, path, kind)
          : [{ declared: old, module: moduleBefore, isPart, place }];
      const after = [{ declared, module, isPart, place }];
      this.changedFiles.push({ path: file.path, before, after, rest: module });
      return;
    }
    const after: DeclaredPart<Place>[] = [];
    // Of hunks that only remove lines, too: what is left counts for what is removed.
    for (const piece of sideOf(bytes, file.hunks, LINE.REMOVED)) {
      for (const { declared, offset } of this.parts(piece.text, path, kind)) {
        const { found } = weakResources({
          rules: ready,
          severityOf,
          declared,
          module: [],
          before: null,
          moduleBefore: [],
          isPart: true,
          isTouched: () => true,
        });
        const placed = found.map((one) => ({
          ...one,
          start: one.start + offset,
          end: one.end + offset,
        }));
        this.report(file.path, piece, placed);
        after.push({ declared, module: [], isPart: true, place: { piece, offset } });
      }
    }
    const before = this.oldParts(file, path, kind);
    this.changedFiles.push({ path: file.path, before, after, rest: [] });
  }

  private parts(text: string, path: string, kind: ResourceFile) {
    return partsOf(kind, path, text).map(({ text: block, offset }) => {
      return { declared: declaredIn(kind, path, block, this.readYaml), offset };
    });
  }

  private looksAtChanges(kind: ResourceFile): boolean {
    const rules = DocumentRules.of(this.input.rules);
    return kind !== 'conf' && kindsIn(kind).some((one) => rules.looksAtChanges(one));
  }

  /** What the hunks show of a file as it was. */
  private oldParts(file: DiffFile, path: string, kind: ResourceFile): DeclaredPart<Place>[] {
    if (!this.looksAtChanges(kind)) return [];
    return oldPiecesOf(this.input.bytes, file).flatMap((piece) => {
      return this.parts(piece.text, path, kind).map(({ declared, offset }) => {
        return { declared, module: [], isPart: true, place: { piece, offset } };
      });
    });
  }

  /** A file that the change deletes: the diff shows all of it, or the base has it. */
  private async deleted(file: DiffFile, path: string, kind: ResourceFile): Promise<void> {
    if (!this.looksAtChanges(kind)) return;
    if (!/\.(?:tf|tofu|json)$/i.test(path)) this.readYaml ??= await loadYaml();
    const [shown, ...more] = oldPiecesOf(this.input.bytes, file);
    const base = this.input.trees?.find((one) => one.side === 'base' && one.path === file.path);
    const text = base?.bytes ? textOf(base.bytes) : shown?.text;
    this.resourceChars += text?.length ?? 0;
    if (text === undefined) {
      this.unread(file.path, kind, UNSEEN_DELETED, 'low');
      return;
    }
    if (this.resourceChars > DOCUMENTS.TOTAL_BYTES_MAX) {
      if (!this.isResourcesCut) this.unread(file.path, kind, TOO_MUCH, 'medium');
      this.isResourcesCut = true;
      return;
    }
    const declared = declaredIn(kind, path, text, this.readYaml);
    const isPart = base?.bytes == null && more.length > 0;
    const place = { piece: wholePiece(text), offset: 0 };
    const module = kind === 'terraform' ? await this.module(path, 'base') : [];
    const before = [{ declared, module, isPart, place }];
    const rest = kind === 'terraform' ? await this.module(path, 'head') : [];
    this.changedFiles.push({ path: file.path, before, after: [], rest });
  }

  /** What the change does to resources that were there before: when all files are read. */
  changed(): void {
    const rules = DocumentRules.of(this.input.rules);
    if (rules.isEmpty || this.changedFiles.length === 0) return;
    const { found, removed } = changedResources(rules, this.changedFiles);
    for (const { place, path, ...one } of found) {
      const { piece, offset } = place;
      const own = this.severityOf(one.id);
      const severity = TRIED.test(path) ? milder(own) : own;
      const placed = { ...one, severity, start: one.start + offset, end: one.end + offset };
      // Where a value is gone, the resource stands on lines that the change does not add.
      this.report(path, { ...piece, added: null }, [placed]);
    }
    for (const one of removed) this.removed(one);
  }

  private removed({ id, address, path, isTemplateGone }: RemovedResource): void {
    const rule = this.ruleOf(id);
    if (rule === undefined || isAllowed(rule, path, address, address)) return;
    this.count += 1;
    if (this.count > DOCUMENTS.FINDINGS_OF_CHANGE_MAX) {
      this.count -= 1;
      this.unlisted(path, false);
      return;
    }
    const { severity, message } = rule.pattern;
    this.add(rule, address, {
      severity: isTemplateGone || TRIED.test(path) ? milder(severity) : severity,
      message: `${message} The change removes ${shortened(address)}.`,
      file: path,
    });
  }

  /** The other files of a module of Terraform: all in its folder, or new ones of the change. */
  private async module(path: string, side: 'base' | 'head'): Promise<Node[]> {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const key = `${side} ${folder}`;
    const known = this.modules.get(key) ?? this.readModule(folder, side);
    this.modules.set(key, known);
    return (await known).flatMap((file) => (file.path === path ? [] : file.roots));
  }

  private async readModule(folder: string, side: 'base' | 'head'): Promise<ModuleFile[]> {
    const tree = this.input.program?.[side];
    const prefix = folder === '' ? '' : `${folder}/`;
    const files = tree == null ? this.addedIn(prefix) : await filesIn(tree, folder, prefix);
    const room = Math.max(0, DOCUMENTS.MODULE_FILES_MAX - this.moduleFiles);
    this.moduleFiles += files.length;
    if (files.length > room && !this.isModuleCut) {
      this.unread(`${prefix}*.tf`, 'terraform', MODULE_CUT, 'medium');
      this.isModuleCut = true;
    }
    return files.slice(0, room).map(({ path, text }) => ({ path, roots: readHcl(text).roots }));
  }

  private addedIn(prefix: string): { path: string; text: string }[] {
    const { files, bytes } = this.input;
    return files.flatMap((file) => {
      const isIn = file.path.startsWith(prefix) && isTerraform(file.path.slice(prefix.length));
      const [piece, ...more] = isIn && file.change === 'added' ? piecesOf(bytes, file) : [];
      return piece === undefined || more.length > 0 ? [] : [{ path: file.path, text: piece.text }];
    });
  }

  /** The version of a file that a repository was asked for, and did not give. */
  private unreadHead(path: string, kind: ResourceFile, wasAsked: boolean): void {
    if (wasAsked) this.unread(path, kind, 'the whole of it could not be read', 'medium');
    else if (!this.isWantCut) this.unread(path, kind, TOO_MANY_FILES, 'medium');
    this.isWantCut ||= !wasAsked;
  }

  private severityOf(id: string): Severity {
    return this.ruleOf(id)?.pattern.severity ?? 'medium';
  }

  private ruleOf(id: string): CompiledRule | undefined {
    // Few changes have anything to report.
    this.rules ??= new Map(this.input.rules.rules.map((rule) => [rule.pattern.id, rule]));
    return this.rules.get(id);
  }

  /** A finding of a rule; `match` is what its fingerprint is made of. */
  private add(
    { pattern, reportId }: CompiledRule,
    match: string,
    fields: Pick<GateFinding, 'severity' | 'message'> & Partial<GateFinding>,
  ): void {
    this.findings.push(
      plainFinding({
        id: reportId,
        gate: 'risk',
        ...titleOfRule(pattern),
        fingerprint: this.fingerprint(reportId, match),
        cwe: pattern.cwe ?? null,
        fix: pattern.fix ?? null,
        ...fields,
      }),
    );
  }

  private knownBefore(path: string, count: number): void {
    const message = `${count} ${count === 1 ? 'finding stands' : 'findings stand'} in resources that were weak before, and that this change does not touch`;
    this.findings.push(
      plainFinding({
        id: 'config-known',
        gate: 'risk',
        severity: 'info',
        message,
        file: path,
        fingerprint: this.fingerprint('config-known', path),
      }),
    );
  }

  /** A migration that was there before the change. */
  private altered(path: string): void {
    const message =
      'Databases that ran this migration do not run it again, or refuse it as its checksum differs.';
    this.findings.push(
      plainFinding({
        id: 'migration-altered',
        gate: 'risk',
        severity: isLesserPath(path) ? 'low' : 'medium',
        message,
        file: path,
        fingerprint: this.fingerprint('migration-altered', path),
        fix: 'Leave it as it is, and write a new migration.',
      }),
    );
  }

  private async parse(path: string, text: string): Promise<Document> {
    if (isJson(path.trimEnd())) return readJson(text);
    this.readYaml ??= await loadYaml();
    return this.readYaml(text);
  }

  /** Code that the lines of any text fetch and run. */
  private scripts(path: string, piece: Piece): void {
    const { text } = piece;
    if (!mayFetch(text)) return;
    this.searched += text.length;
    if (this.searched > FETCHES.CHANGE_CHARS_MAX) {
      if (!this.isSearchCut) this.unread(path, 'commands', UNSEARCHED);
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
    this.report(path, piece, found);
  }

  /** Downloads beyond the bound: as grave as code that is fetched and run there. */
  private unfollowed(path: string): void {
    if (this.cut.has(path)) return;
    this.cut.add(path);
    this.unread(path, 'commands', UNFOLLOWED, runsByItself(path.trimEnd()) ? 'high' : 'medium');
  }

  private unread(
    path: string,
    kind: DocumentKind | ResourceFile,
    reason: string,
    worst: 'high' | 'medium' | 'low' = 'high',
  ): void {
    const mayBeHigh = worst === 'high' && !(isLesserPath(path) || TEMPLATES.test(path));
    const isBound = /^the change has/.test(reason);
    const runs = kind === 'workflow' || kind === 'action' || kind === 'gitlab';
    const isHigh = mayBeHigh && (runs || !isBound);
    const severity = isHigh ? 'high' : worst === 'low' ? 'low' : 'medium';
    this.findings.push(
      plainFinding({
        id: 'config-unread',
        gate: 'risk',
        severity,
        message: `this file was not checked as ${isSettings(kind) ? SETTINGS[kind].name : NAMES[kind]}: ${reason}`,
        file: path,
        fingerprint: this.fingerprint('config-unread', `${path}\0${reason}`),
        fix: 'Write it so that a parser can read it, or have a person look at it and override.',
      }),
    );
  }

  private report(path: string, piece: Piece, found: readonly Observation[]): void {
    if (found.length === 0) return;
    const { text, numbers, added } = piece;
    const starts = lineStarts(text);
    const seen = new Set<string>();
    let count = 0;
    // The mildest are left out where there are too many.
    const rankOf = (one: Observation) => severityRank(one.severity ?? this.severityOf(one.id));
    const sorted = [...found].sort((a, b) => rankOf(a) - rankOf(b) || a.start - b.start);
    for (const one of sorted) {
      const rule = this.ruleOf(one.id);
      if (rule === undefined) continue;
      const { start, end } = placeOf(text, one);
      const first = lineIndex(starts, start);
      const last = Math.max(first, lineIndex(starts, Math.max(start, end - 1)));
      if (added !== null && !added.slice(first, last + 1).includes(true)) continue;
      const from = starts[first] ?? 0;
      const line = text.slice(from, lineEnd(text, from));
      const key = `${one.id} ${first} ${one.match}`;
      if (seen.has(key) || isAllowed(rule, path, one.match, line)) continue;
      seen.add(key);
      count += 1;
      const isMild = rankOf(one) > severityRank('medium');
      if (isMild) this.mildCount += 1;
      this.count += 1;
      const { FINDINGS_MAX, FINDINGS_OF_CHANGE_MAX, MILD_OF_CHANGE_MAX } = DOCUMENTS;
      const isMildCut = isMild && this.mildCount > MILD_OF_CHANGE_MAX;
      if (count > FINDINGS_MAX || this.count > FINDINGS_OF_CHANGE_MAX || isMildCut) {
        // What is left out of the list counts for itself alone.
        this.count -= 1;
        this.unlisted(path, isMild);
        return;
      }
      const { severity, message } = rule.pattern;
      this.add(rule, one.match, {
        severity: one.severity ?? severity,
        message: one.note === undefined ? message : `${message} ${one.note}`,
        file: path,
        line: numbers[first] ?? null,
        end_line: numbers[last] ?? numbers[first] ?? null,
        column: Buffer.byteLength(text.slice(from, start)) + 1,
        excerpt: line.trim().slice(0, EXCERPT_CHARS_MAX).toWellFormed(),
      });
    }
  }

  /** Findings beyond a bound; all that follow in the file are as mild as the first of them. */
  private unlisted(path: string, isMild: boolean): void {
    const isFull = this.count >= DOCUMENTS.FINDINGS_OF_CHANGE_MAX;
    if (isFull && this.isListFull) return;
    this.isListFull ||= isFull;
    this.unread(path, 'commands', UNLISTED, isMild ? 'low' : 'high');
  }

  private fingerprint(id: string, match: string): string {
    const text = match.includes('\n') ? match.replace(/\s+/g, '') : match;
    return createHmac('sha256', this.input.fingerprintKey)
      .update(`${id}\0`)
      .update(text)
      .digest('hex');
  }
}

const LONG_MIGRATION = `it has more than ${MIGRATIONS.CHARS_MAX / 1024} Ki characters`;
const UNLISTED = 'it has more findings than are listed';
const TOO_MUCH = `the change has more than ${DOCUMENTS.TOTAL_BYTES_MAX / 1024 / 1024} Mi characters in files that may declare resources`;
const TOO_MANY_FILES = 'the change has more files of configuration than are read whole';
const UNSEEN_DELETED = 'the diff deletes it and does not show what was in it';
const MODULE_CUT = `the modules of the change have more than ${DOCUMENTS.MODULE_FILES_MAX} files, so that values of some variables are not known`;

interface ModuleFile {
  path: string;
  roots: readonly Node[];
}

/** Whether two versions of a migration do other things to a database. */
function saysAnother(now: readonly Node[], before: readonly Node[]): boolean {
  const [one, other] = [now, before].map((roots) => {
    return entriesOf(roots).map(({ key, value }) => [key, ...textsOf(valuesOf(value, 'text'))]);
  });
  return JSON.stringify(one) !== JSON.stringify(other);
}

function isTerraform(name: string): boolean {
  return /^[^/]+\.(?:tf|tofu)$/i.test(name);
}

async function filesIn(tree: Folders, folder: string, prefix: string) {
  const names = (await tree.list(folder)).filter(isTerraform);
  const paths = names.map((name) => `${prefix}${name}`);
  const texts = await tree.read(paths);
  return paths.flatMap((path, index) => {
    const text = texts[index];
    return text == null ? [] : [{ path, text }];
  });
}

/** Longer than an excerpt that is shown: it is cut later, when its secrets are hidden. */
const EXCERPT_CHARS_MAX = 512;
const TEMPLATES =
  /(?:^|\/)(?:_?templates?|generators?|skeletons?|scaffolds?|cookiecutter[^/]*)\/|\{\{/i;
const NAMES: Readonly<Record<DocumentKind | Exclude<ResourceFile, SettingsKind>, string>> = {
  terraform: 'Terraform',
  dockerfile: 'a Dockerfile',
  conf: 'settings of a server',
  data: 'resources',
  workflow: 'a workflow',
  action: 'an action',
  package: 'a package',
  gitlab: 'a pipeline of GitLab',
  compose: 'a file of Compose',
  migration: 'a migration',
  commands: 'a list of commands',
  jenkins: 'a Jenkinsfile',
  'azure-pipelines': 'a pipeline of Azure',
};

/** `onCut`: not all downloads of a script were followed. */
function observationsOf(
  path: string,
  kind: DocumentKind,
  { roots }: Document,
  onCut: () => void,
): Observation[] {
  const isAuto = runsByItself(path.trimEnd());
  const ofRoots = roots.flatMap((root) => commands(root, kind, isAuto, onCut));
  return [...inspect(kind, roots, false), ...ofRoots];
}

function inspect(kind: DocumentKind, roots: readonly Node[], isPart: boolean): Observation[] {
  switch (kind) {
    case 'workflow':
    case 'action':
      return inspectWorkflow(roots, isPart);
    case 'package':
      return inspectPackage(roots, isPart);
    case 'gitlab':
      return inspectGitlab(roots);
    case 'compose':
      return inspectCompose(roots);
    case 'commands':
      return [];
  }
}

const PROSE_KEYS =
  /^(?:name|description|homepage|readme|author|license|keywords|repository|bugs|\$schema|title|url|badges)$/i;
const INSTALLS =
  /^(?:(?:pre|post)?(?:install|prepare|prepublish)|pnpm:devPreinstall|dependencies)$/;

/** Commands anywhere in a document that fetch code and run it. */
function commands(
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

function keyOf({ id, match }: Observation): string {
  return `${id}\0${match.replace(/\s+/g, ' ')}`;
}

/** The allowlists of a rule hold for what a document says as well. */
export function isAllowed(rule: CompiledRule, path: string, match: string, line: string): boolean {
  if (rule.allowlists.length === 0) return false;
  const value = Buffer.from(match);
  const texts = { secret: value, match: value, line: Buffer.from(line) };
  return rule.allowlists.some((list) => allows(list, texts, Buffer.from(path)));
}

/** Where in its node an observation stands, if the text is there as it reads. */
function placeOf(text: string, { start, end, within }: Observation) {
  if (within === undefined) return { start, end: trimmedEnd(text, start, end) };
  const lines = within.split('\n');
  const first = (lines[0] ?? '').trim();
  const at = first === '' ? -1 : text.indexOf(first, start);
  if (at === -1 || at >= end) return { start, end: trimmedEnd(text, start, end) };
  let last = at + first.length;
  for (const line of lines.slice(1)) {
    const next = text.indexOf(line.trim(), last);
    if (next === -1 || next >= end) break;
    last = next + line.trim().length;
  }
  return { start: at, end: last };
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /\s/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

/** Where infrastructure is shown or tried: what is made of it is thrown away. */
const TRIED =
  /(?:^|\/)(?:examples?|samples?|demos?|quick-?starts?|tutorials?|workshops?|labs?|docs?|tests?)\//i;

function milder(severity: Severity): Severity {
  return severityRank(severity) < severityRank('medium') ? 'medium' : severity;
}

/** Longer names of resources are cut. */
const ADDRESS_CHARS_MAX = 200;

/** The name of a resource as findings show it. */
export function shortened(address: string): string {
  return address.length <= ADDRESS_CHARS_MAX ? address : `${address.slice(0, ADDRESS_CHARS_MAX)}…`;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

/** Offsets in the new text of the lines that a change adds. */
function addedOffsets(text: string, pieces: readonly Piece[]): number[] {
  const starts = lineStarts(text);
  return pieces.flatMap(({ numbers, added }) => {
    return numbers.flatMap((line, index) => {
      const start = added?.[index] === true ? starts[line - 1] : undefined;
      return start === undefined
        ? []
        : [start + (/\S/.exec(text.slice(start, start + 200))?.index ?? 0)];
    });
  });
}

function wholePiece(text: string): Piece {
  const numbers = text.split('\n').map((_, index) => index + 1);
  return { text, numbers, added: null };
}

/** What a hunk shows of a file, in parts that can be read. */
function partsOf(kind: ResourceFile, path: string, text: string) {
  if (kind === 'terraform' && !isJson(path)) return blocksOfPart(text);
  if (kind === 'workflow' || kind === 'azure-pipelines') return blocksOf(text);
  return [{ text, offset: 0 }];
}

/** The new side of each hunk that adds lines. */
function piecesOf(bytes: Uint8Array, file: DiffFile): Piece[] {
  const hunks = file.hunks.filter(({ additions }) => additions > 0);
  return sideOf(bytes, hunks, LINE.REMOVED);
}

/** The old side of each hunk. */
function oldPiecesOf(bytes: Uint8Array, { hunks, change }: DiffFile): Piece[] {
  return change === 'added' ? [] : sideOf(bytes, hunks, LINE.ADDED);
}

/** A side of hunks: without the lines that only the other one has. */
function sideOf(bytes: Uint8Array, hunks: readonly Hunk[], other: number): Piece[] {
  const cursor = new LineCursor(bytes);
  return hunks.flatMap((hunk) => {
    const lines: string[] = [];
    const numbers: number[] = [];
    const added: boolean[] = [];
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind === other) continue;
      const line = asBuffer(bytes).toString('utf8', cursor.start, cursor.end);
      lines.push(cursor.newLine === 1 ? line.replace(/^\ufeff/, '') : line);
      numbers.push(cursor.newLine);
      added.push(cursor.kind === LINE.ADDED);
    }
    return [{ text: `${lines.join('\n')}\n`, numbers, added }];
  });
}

/** Parts of YAML of which no line is indented less than the first, with their offsets. */
function blocksOf(text: string): { text: string; offset: number }[] {
  const blocks: { text: string; offset: number }[] = [];
  let offset = 0;
  let indent = 0;
  let block = '';
  let at = 0;
  for (const line of text.split('\n')) {
    const own = line.search(/\S/);
    if (own !== -1 && (block.trim() === '' || own < indent)) {
      if (block.trim() !== '') blocks.push({ text: block, offset });
      block = '';
      offset = at;
      indent = own;
    }
    block += `${line}\n`;
    at += line.length + 1;
  }
  if (block.trim() !== '') blocks.push({ text: block, offset });
  return blocks;
}
