import { useSignal } from '@preact/signals';
import type { Finding, FlowStep } from '../../model/finding.ts';
import type { CodeBlock, CodeLine } from '../../model/shown-code.ts';
import { Folded, Pre, Untrusted, Words } from '../parts.tsx';

/** The code around the findings of an RFC (`GET rfc/<id>/code`): secrets are hidden in it. */
export type Code =
  | { available: true; reason: null; blocks: CodeBlock[]; left_out: number }
  | { available: false; reason: string; blocks: CodeBlock[]; left_out: number };

/** The code of one finding: the way of the data where one was followed, else its lines. */
export function FindingCode({ finding, code }: { finding: Finding; code: Code | null }) {
  const block = code?.blocks.find(({ finding_ids: ids }) => ids.includes(finding.finding_id));
  const stops = stopsOf(finding.flow ?? []);
  const lines = block === undefined ? null : <FindingLines block={block} finding={finding} />;
  if (stops.length < 2) {
    return (
      <div>
        {lines ?? (finding.excerpt !== null && <Pre text={finding.excerpt} />)}
        {stops.map(({ what }) => (
          <p key={what} class="quiet">
            <Words text={what} max={400} />
          </p>
        ))}
      </div>
    );
  }
  return (
    <div>
      <Flow stops={stops} file={finding.file} code={code} />
      {lines !== null && <Folded title="Lines around it">{() => lines}</Folded>}
    </div>
  );
}

/** Lines before and after the one of the finding that are shown at first. */
const LINES_AROUND = 2;

/** The lines around a finding, of which only its own are marked. */
function FindingLines({ block, finding }: { block: CodeBlock; finding: Finding }) {
  const isWhole = useSignal(false);
  const { line: first, end_line: last } = finding;
  const isHit = ({ new: line }: CodeLine) =>
    line !== null && first !== null && line >= first && line <= (last ?? first);
  const at = block.lines.findIndex(isHit);
  const from = Math.max(0, at - LINES_AROUND);
  const short = block.lines.slice(from, at + LINES_AROUND + 1);
  // A button takes the room of a line.
  const near = block.lines.length - short.length > 2 ? short : block.lines;
  const hidden = block.lines.length - near.length;
  return (
    <>
      <CodeView file={block.file} lines={isWhole.value ? block.lines : near} isHit={isHit} />
      {hidden > 0 && (
        <button
          type="button"
          class="link"
          aria-expanded={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          {isWhole.value ? 'Fewer lines' : `${hidden} more lines around it`}
        </button>
      )}
    </>
  );
}

/** What stands before a line in a diff. */
export const SIGNS = { added: '+', removed: '−', context: ' ' } as const;

interface CodeViewProps {
  file: string;
  lines: readonly CodeLine[];
  isHit(line: CodeLine): boolean;
}

/** Lines of a diff. */
function CodeView({ file, lines, isHit }: CodeViewProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <figure class="code-box" tabIndex={0} aria-label={`Code of ${file}`}>
      <table class="code">
        <tbody>
          {lines.map((line) => (
            <tr
              key={`${line.old} ${line.new}`}
              class={`${line.side}${isHit(line) ? ' hit' : ''}`}
              {...(isHit(line) && { 'aria-current': 'true' as const })}
            >
              <td class="number">{line.old}</td>
              <td class="number">{line.new}</td>
              <td class="sign">{SIGNS[line.side]}</td>
              <td class="text">
                <Untrusted text={line.text} />
                {line.is_cut && <span class="mark">line goes on</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** A line that the data passes; what it is or becomes there. */
interface Stop {
  file: string;
  line: number | null;
  what: string;
}

/** Steps of a flow by line: several in one line are one stop. */
function stopsOf(flow: readonly FlowStep[]): Stop[] {
  const stops: Stop[] = [];
  for (const { file, line, what } of flow) {
    const last = stops.at(-1);
    if (last?.file === file && last.line === line) last.what += `, ${what}`;
    else stops.push({ file, line, what });
  }
  return stops;
}

/** Stops that are shown at first of a long way: its ends matter most. */
const STOPS_SHOWN = 8;

interface FlowProps {
  stops: readonly Stop[];
  /** Of the finding. */
  file: string | null;
  code: Code | null;
}

/** The way of the data from its source to its sink, with the lines that it passes. */
function Flow({ stops, file, code }: FlowProps) {
  const isWhole = useSignal(stops.length <= STOPS_SHOWN);
  const hidden = stops.length - STOPS_SHOWN;
  const shown = isWhole.value
    ? stops
    : [...stops.slice(0, STOPS_SHOWN / 2), ...stops.slice(-STOPS_SHOWN / 2)];
  return (
    <>
      <ol class="flow" aria-label="Way of the data">
        {shown.map((stop) => (
          <FlowStop
            key={stops.indexOf(stop)}
            stop={stop}
            role={stop === stops[0] ? 'source' : stop === stops.at(-1) ? 'sink' : 'step'}
            file={file}
            text={textOf(code, stop)}
          />
        ))}
      </ol>
      {!isWhole.value && (
        <button
          type="button"
          class="link"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          {hidden} more steps between them
        </button>
      )}
    </>
  );
}

interface StopProps {
  stop: Stop;
  role: 'source' | 'step' | 'sink';
  file: string | null;
  text: string | null;
}

function FlowStop({ stop, role, file, text }: StopProps) {
  const line = stop.line === null ? '' : `line ${stop.line}`;
  const place = stop.file === file ? line : [stop.file, stop.line ?? ''].join(':');
  return (
    <li class={role} tabIndex={-1}>
      <span class="role">{role}</span>{' '}
      <span class="place">
        <Untrusted text={place} />
      </span>{' '}
      {text !== null && (
        <code class="text">
          <Untrusted text={text.trim()} />
        </code>
      )}
      {text !== null && ' '}
      <span class="what">
        <Words text={stop.what} max={400} />
      </span>
    </li>
  );
}

/** The text of a line, where the code around some finding shows it. */
function textOf(code: Code | null, { file, line }: Stop): string | null {
  for (const block of code?.blocks ?? []) {
    if (block.file !== file || line === null) continue;
    const found = block.lines.find((each) => each.new === line);
    if (found !== undefined) return found.text;
  }
  return null;
}
