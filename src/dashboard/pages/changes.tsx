import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../model/finding.ts';
import type { ChangedFile, CodeLine } from '../../model/shown-code.ts';
import { useLoaded } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Answer, Choices } from '../lists.tsx';
import { Empty, Folded, SeverityLabel, Untrusted, Words } from '../parts.tsx';
import { findingLink, route, viewLink } from '../route.ts';
import { isCoverage, openFindings } from '../row.ts';
import type { ShownRfc } from './actions.ts';
import { SIGNS } from './code.tsx';

/** The change of an RFC by file (`GET rfc/<id>/changes`): secrets are hidden in it. */
export interface Change {
  available: boolean;
  reason: string | null;
  files: ChangedFile[];
  left_out: number;
}

type Marks = ReadonlyMap<string, Finding>;

/** The whole change, file by file, with marks where findings are. */
export function Changes({ rfc }: { rfc: ShownRfc }) {
  const path = `rfc/${encodeURIComponent(rfc.rfc_id)}/changes`;
  const change = useLoaded<Change>(path);
  const isSplit = route.value.query.get('view') === SPLIT;
  const open = openFindings(rfc);
  const marks = marksOf(open);
  return (
    <section aria-label="Changes">
      <Answer of={change}>
        {({ available, reason, files, left_out }) =>
          available ? (
            <>
              <p class="actions">
                <Choices
                  label="View"
                  values={['', SPLIT]}
                  current={isSplit ? SPLIT : ''}
                  link={(view) => viewLink('view', view)}
                  text={(view) => (view === '' ? 'Unified' : 'Side by side')}
                />
                {left_out > 0 && <span class="quiet">{left_out} more files are not listed</span>}
              </p>
              <div class={files.length > 1 ? 'with-tree' : ''}>
                {files.length > 1 && <FileTree files={files} open={open} />}
                <div>
                  {files.map((file) => (
                    <FileView
                      key={file.file}
                      file={file}
                      path={path}
                      rfc={rfc}
                      open={open}
                      marks={marks}
                      isSplit={isSplit && TWO_SIDED.has(file.change)}
                    />
                  ))}
                </div>
              </div>
            </>
          ) : (
            <Empty>
              <p>The change is not shown: {reason}.</p>
            </Empty>
          )
        }
      </Answer>
    </section>
  );
}

const SPLIT = 'split';
/** Changes of a file that have lines on both sides. */
const TWO_SIDED: ReadonlySet<ChangedFile['change']> = new Set(['modified', 'renamed', 'copied']);

/** The files by their folders, with marks where findings are; each leads to its file. */
function FileTree({ files, open }: { files: readonly ChangedFile[]; open: readonly Finding[] }) {
  const folders = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const folder = file.file.slice(0, file.file.lastIndexOf('/') + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return (
    <nav class="tree" aria-label="Files">
      {[...folders].map(([folder, inside]) => (
        <div key={folder}>
          {folder !== '' && (
            <p class="quiet">
              <Untrusted text={folder} max={200} />
            </p>
          )}
          <ul>
            {inside.map(({ file }) => (
              <li key={file}>
                <button type="button" class="link" onClick={() => showFile(file)}>
                  <Untrusted text={file.slice(folder.length)} max={200} />
                </button>
                <FileMark found={open.filter((finding) => finding.file === file)} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Opens a file, and moves it into view. */
function showFile(file: string): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-file]')];
  const box = all.find(({ dataset }) => dataset['file'] === file);
  const details = box?.querySelector('details');
  if (box === undefined || details == null) return;
  details.open = true;
  box.scrollIntoView();
  box.querySelector('summary')?.focus({ preventScroll: true });
}

/** How many findings a file has, by the gravest of them, which comes first. */
function FileMark({ found }: { found: readonly Finding[] }) {
  const [worst] = found;
  if (worst === undefined) return null;
  return (
    <span class={`badge ${worst.severity}`}>
      <Icon name={worst.severity} />
      {found.length}
      <span class="unseen"> {found.length === 1 ? 'finding' : 'findings'}</span>
    </span>
  );
}

/** The gravest finding of each line that has one. */
function marksOf(open: readonly Finding[]): Marks {
  const marks = new Map<string, Finding>();
  for (const finding of open.toReversed()) {
    if (finding.line !== null) marks.set(`${finding.line} ${finding.file}`, finding);
  }
  return marks;
}

interface FileProps {
  file: ChangedFile;
  /** Of the whole change. */
  path: string;
  rfc: ShownRfc;
  /** Its open findings, the gravest first. */
  open: readonly Finding[];
  marks: Marks;
  isSplit: boolean;
}

/** Lines of a file that are made at once when the tab opens; a longer file waits for a click. */
const OPEN_LINES_MAX = 1_000;

function FileView({ file, ...shown }: FileProps) {
  const found = shown.open.filter((finding) => finding.file === file.file);
  const lines = file.blocks.reduce((sum, block) => sum + block.length, 0);
  const asked = route.value.query.get('finding');
  const isAsked = found.some(({ finding_id: id }) => id === asked);
  const isMoved = file.old_file !== null && file.old_file !== file.file;
  // What no gate could look at, as far as it is of the file and not of one line.
  const unread = found.filter((finding) => isCoverage(finding) && finding.line === null);
  const ofPeople = shown.rfc.discussion?.findings.filter(({ file: at }) => at === file.file) ?? [];
  const isGenerated = GENERATED_NAME.test(file.file);
  const isFolded = isGenerated && !isNamed(shown.rfc, file.file);
  return (
    <div data-file={file.file}>
      <Folded
        kind="file"
        isOpen={!file.is_cut && !isFolded && (isAsked || lines <= OPEN_LINES_MAX)}
        title={
          <>
            <code>
              {isMoved && <Untrusted text={`${file.old_file} → `} />}
              <Untrusted text={file.file} />
            </code>{' '}
            <span class="quiet">{file.content === 'text' ? file.change : file.content}</span>{' '}
            <span class="plus">+{file.additions}</span> <span class="minus">−{file.deletions}</span>
            <FileMark found={found} />
            {isFolded && <span class="badge superseded">generated</span>}
            {!isGenerated && saysGenerated(file) && (
              <span class="badge superseded">says it is generated</span>
            )}
            {unread.length > 0 && <span class="badge medium">not looked at</span>}
          </>
        }
      >
        {() => (
          <>
            {unread.map(({ finding_id, title, message }) => (
              <p key={finding_id} class="unread">
                <a href={findingLink(shown.rfc.rfc_id, finding_id)}>
                  <Words text={title ?? 'Not looked at'} max={200} />
                </a>
                : <Words text={message} max={400} />
              </p>
            ))}
            {ofPeople.map(({ finding_id, severity, line, message }) => (
              <p key={finding_id} class="gap">
                <SeverityLabel severity={severity} /> {line !== null && `line ${line}: `}
                <Untrusted text={message} max={400} />
              </p>
            ))}
            {file.is_cut ? (
              <LoadedFile file={file} {...shown} />
            ) : (
              <Parts key={shown.isSplit} file={file} {...shown} />
            )}
          </>
        )}
      </Folded>
    </div>
  );
}

/** Whether any finding names a file: also a suppressed one, and the finding of a person. */
function isNamed({ gates: { risk, ast, llm }, discussion }: ShownRfc, name: string): boolean {
  const lists = [risk.findings, ast.findings, llm.findings, discussion?.findings ?? []];
  return lists.some((findings) => findings.some(({ file }) => file === name));
}

/** Files that a program writes, by their names: lockfiles, minified and compiled ones. */
const GENERATED_NAME =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|packages\.lock\.json|gradle\.lockfile|\.terraform\.lock\.hcl|flake\.lock)$|\.(?:min\.(?:js|mjs|css)|(?:js|css)\.map|pb\.go|pb\.(?:cc|h)|snap)$|_pb2(?:_grpc)?\.py$|(?:^|\/)(?:dist|vendor|node_modules|__generated__)\//;
/** What such programs write into the first lines. */
const GENERATED_MARK = /@generated\b|\bDO NOT EDIT\b|\bautomatically generated\b/i;
const MARKED_LINES = 10;

/**
 * Whether the first lines of a file say that a program wrote it. Any author can write that, so it
 * folds nothing.
 */
function saysGenerated({ blocks: [first = []] }: ChangedFile): boolean {
  return first.some(
    ({ new: line, text }) => line !== null && line <= MARKED_LINES && GENERATED_MARK.test(text),
  );
}

/** A file that had no room beside the others: it comes when it is opened. */
function LoadedFile({ file, ...shown }: FileProps) {
  const change = useLoaded<Change>(`${shown.path}?file=${encodeURIComponent(file.file)}`);
  return (
    <Answer of={change}>
      {({ files: [full] }) =>
        full === undefined ? null : (
          <>
            <Parts key={shown.isSplit} file={full} {...shown} />
            {full.is_cut && <p class="quiet">The rest of this file is too long to be shown.</p>}
          </>
        )
      }
    </Answer>
  );
}

/** Lines that are made together, when they come near the view; in another view they are others. */
const PART_LINES = 100;
const LINE_HEIGHT_PX = 20;

function Parts({ file, rfc, marks, isSplit }: FileProps) {
  if (file.blocks.length === 0) {
    return <p class="quiet">It has no lines to show ({file.content}).</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <figure class="code-box" tabIndex={0} aria-label={`Change of ${file.file}`}>
      {file.blocks.flatMap((block, index) => {
        const others = counterparts(block);
        return partsOf(block).map((lines, at) => (
          <Part
            key={`${index} ${at}`}
            lines={lines}
            others={others}
            isFirst={at === 0 && index > 0}
            file={file.file}
            rfc={rfc}
            marks={marks}
            isSplit={isSplit}
          />
        ));
      })}
    </figure>
  );
}

function partsOf(block: readonly CodeLine[]): CodeLine[][] {
  const count = Math.ceil(block.length / PART_LINES);
  return Array.from({ length: count }, (_, n) => block.slice(n * PART_LINES, (n + 1) * PART_LINES));
}

interface PartProps extends Pick<FileProps, 'rfc' | 'marks' | 'isSplit'> {
  lines: CodeLine[];
  others: Counterparts;
  file: string;
  /** Of a block that follows a gap. */
  isFirst: boolean;
}

/** Some lines; before they come near the view, their room. */
function Part({ lines, others, file, isFirst, rfc, marks, isSplit }: PartProps) {
  const box = useRef<HTMLDivElement>(null);
  const asked = route.value.query.get('finding');
  const markOf = ({ new: line }: CodeLine) =>
    line === null ? undefined : marks.get(`${line} ${file}`);
  const isAsked = asked !== null && lines.some((line) => markOf(line)?.finding_id === asked);
  const isMade = useSignal(isAsked);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (isAsked) element.querySelector('.hit')?.scrollIntoView({ block: 'center' });
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        isMade.value = true;
        observer.disconnect();
      },
      { rootMargin: '600px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const row = (line: CodeLine | null, column: number) => {
    const isOld = isSplit && column === 0;
    const other = line === null ? undefined : others.get(line);
    return <Cells line={line} other={other} isSplit={isSplit} isOld={isOld} />;
  };
  const rows = (isSplit ? pairsOf(lines) : lines.map((line) => [line])).map((pair) => {
    const last = pair.at(-1);
    return { pair, mark: last == null ? undefined : markOf(last) };
  });
  const marked = rows.filter(({ mark }) => mark !== undefined).length;
  return (
    <div ref={box}>
      {isFirst && <p class="gap">line {lines[0]?.new ?? lines[0]?.old}</p>}
      {isMade.value ? (
        <table class={`code ${isSplit ? 'split' : ''}`}>
          {isSplit && (
            <colgroup>
              <col class="number" />
              <col class="sign" />
              <col />
              <col class="number" />
              <col class="sign" />
              <col />
            </colgroup>
          )}
          <tbody>
            {rows.map(({ pair, mark }, index) => (
              <Fragment key={index}>
                <tr class={mark === undefined ? '' : 'hit'}>{pair.map(row)}</tr>
                {mark !== undefined && <MarkRow mark={mark} rfc={rfc} isSplit={isSplit} />}
              </Fragment>
            ))}
          </tbody>
        </table>
      ) : (
        <svg class="room" height={(rows.length + marked) * LINE_HEIGHT_PX} aria-hidden="true" />
      )}
    </div>
  );
}

interface CellsProps {
  /** Null: the other side has a line more. */
  line: CodeLine | null;
  /** The line that this one stands for, or that stands for it. */
  other: CodeLine | undefined;
  isSplit: boolean;
  /** The column of the old file. */
  isOld: boolean;
}

/** The finding of a line, below it. */
function MarkRow({ mark, rfc, isSplit }: { mark: Finding } & Pick<FileProps, 'rfc' | 'isSplit'>) {
  return (
    <tr>
      <td colSpan={isSplit ? 5 : 3} />
      <td class="finding-mark">
        <a class={`badge ${mark.severity}`} href={findingLink(rfc.rfc_id, mark.finding_id)}>
          <Icon name={mark.severity} />
          <Words text={mark.title ?? mark.id} max={120} />
        </a>
      </td>
    </tr>
  );
}

function Cells({ line, other, isSplit, isOld }: CellsProps) {
  if (line === null) return <td colSpan={3} />;
  return (
    <>
      {!isSplit && <td class="number">{line.old}</td>}
      <td class="number">{isOld ? line.old : line.new}</td>
      <td class={`sign ${line.side}`}>{SIGNS[line.side]}</td>
      <td class={`text ${line.side}`}>
        <LineText text={line.text} other={other?.text ?? null} />
        {line.is_cut && <span class="mark">line goes on</span>}
      </td>
    </>
  );
}

/** A line, with the words marked that the line in its place has otherwise. */
function LineText({ text, other }: { text: string; other: string | null }) {
  const [from, to] = other === null ? [0, 0] : changedWords(text, other);
  if (from === to) return <Untrusted text={text} />;
  return (
    <>
      <Untrusted text={text.slice(0, from)} />
      <span class="word">
        <Untrusted text={text.slice(from, to)} />
      </span>
      <Untrusted text={text.slice(to)} />
    </>
  );
}

/**
 * Where the words of a text begin and end that another text has otherwise; nothing where most of
 * it is otherwise, as marks would say no more than the colour of the line.
 */
function changedWords(text: string, other: string): [from: number, to: number] {
  const words = wordsOf(text);
  const others = wordsOf(other);
  const most = Math.min(words.length, others.length);
  let first = 0;
  while (first < most && words[first] === others[first]) first += 1;
  let last = 0;
  while (last < most - first && words.at(-1 - last) === others.at(-1 - last)) last += 1;
  const from = words.slice(0, first).join('').length;
  const to = text.length - words.slice(words.length - last).join('').length;
  const kept = text.slice(0, from).trim().length + text.slice(to).trim().length;
  return kept * 3 < text.trim().length ? [0, 0] : [from, to];
}

/** Words, and what stands between them a character at a time. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[\s\S]/gu) ?? [];
}

type Counterparts = ReadonlyMap<CodeLine, CodeLine>;

/** The lines of a block that stand for each other: both sides of a change. */
function counterparts(block: readonly CodeLine[]): Counterparts {
  const others = new Map<CodeLine, CodeLine>();
  for (const [one, other] of pairsOf(block)) {
    if (one == null || other == null || one === other) continue;
    others.set(one, other).set(other, one);
  }
  return others;
}

/** Lines side by side: what was removed beside what came in its place. */
function pairsOf(lines: readonly CodeLine[]): (CodeLine | null)[][] {
  const pairs: (CodeLine | null)[][] = [];
  let removed: CodeLine[] = [];
  let added: CodeLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      pairs.push([removed[at] ?? null, added[at] ?? null]);
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.side === 'removed') removed.push(line);
    else if (line.side === 'added') added.push(line);
    else {
      flush();
      pairs.push([line, line]);
    }
  }
  flush();
  return pairs;
}
