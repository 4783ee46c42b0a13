import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Table } from './lists.tsx';
import { Folded } from './parts.tsx';

/** What a line or column means: `--chart-...` of tokens.css. */
type Tone = 'good' | 'bad' | 'warn' | 'note';

/** One row of numbers under a name; null: there was nothing to measure. */
export interface Series {
  name: string;
  tone: Tone;
  values: readonly (number | null)[];
}

interface ChartProps {
  title: string;
  /** What is shown, in a sentence. */
  children: ComponentChildren;
  /** `columns` stand on each other, `lines` do not. */
  kind: 'columns' | 'lines';
  /** What each value belongs to, the oldest first. */
  labels: readonly string[];
  series: readonly Series[];
  format?: (value: number) => string;
  /** The axis; without it, it begins at 0 and ends above the highest value. */
  axis?: Axis;
  /** Stands in place of a chart without any value. */
  empty: string;
  isWide?: boolean;
}

/** Marks of an axis, and where a value stands between its ends: from 0 to 1. */
interface Axis {
  marks: readonly number[];
  place(value: number): number;
}

/** Numbers over time: a drawing with its legend, and the same as a table. */
export function Chart(props: ChartProps) {
  const { title, children, labels, series, empty, isWide = false } = props;
  const hasValues = series.some(({ values }) => values.some((value) => (value ?? 0) > 0));
  return (
    <section class={`box chart ${isWide ? 'wide' : ''}`}>
      <h2>{title}</h2>
      <p class="quiet">{children}</p>
      {!hasValues && <p class="nothing quiet">{empty}</p>}
      {hasValues && <Drawing {...props} />}
      {hasValues && (
        <Folded title="As a table">
          {() => (
            <Table columns={['', ...series.map(({ name }) => name)]} kind="figures">
              {labels.map((label, at) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map((one) => (
                    <td key={one.name} class="number" data-title={one.name}>
                      {textAt(one, at, props.format)}
                    </td>
                  ))}
                </tr>
              ))}
            </Table>
          )}
        </Folded>
      )}
    </section>
  );
}

function textAt({ values }: Series, at: number, format: ChartProps['format'] = grouped): string {
  const value = values[at] ?? null;
  return value === null ? '–' : format(value);
}

function Drawing(props: ChartProps) {
  const { title, kind, labels, series, format = grouped } = props;
  const axis = props.axis ?? axisOf(kind, series);
  const pointed = useSignal<number | null>(null);
  const at = pointed.value;
  const most = axis.marks.at(-1) ?? 0;
  const names = series.map(({ name }) => name).join(', ');
  return (
    <>
      <ul class="legend" aria-hidden="true">
        {series.map((one) => (
          <li key={one.name}>
            <span class={`swatch ${one.tone}`} /> {one.name}{' '}
            {at !== null && <strong>{textAt(one, at, format)}</strong>}
          </li>
        ))}
        <li class="quiet">{at === null ? '' : labels[at]}</li>
      </ul>
      <div class="plot">
        <div class="marks" aria-hidden="true">
          {axis.marks.map((mark) => (
            <span key={mark} style={{ bottom: `${100 * axis.place(mark)}%` }}>
              {props.format === undefined ? SHORT.format(mark) : format(mark)}
            </span>
          ))}
        </div>
        <svg
          class="drawing"
          viewBox={`0 0 ${labels.length} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={
            `${title}: ${names}, from ${labels[0]} to ${labels.at(-1)}, ` +
            `at most ${format(most)}; the table has the numbers`
          }
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const index = Math.floor((labels.length * (clientX - left)) / width);
            pointed.value = Math.max(0, Math.min(labels.length - 1, index));
          }}
          onPointerLeave={() => {
            pointed.value = null;
          }}
        >
          {axis.marks.map((mark) => (
            <path
              key={mark}
              class="mark-line"
              d={`M0 ${100 - 100 * axis.place(mark)}H${labels.length}`}
            />
          ))}
          {at !== null && <rect class="pointed" x={at} width={1} height={100} />}
          {kind === 'columns' ? (
            <Columns labels={labels} series={series} axis={axis} />
          ) : (
            series.flatMap(({ name, tone, values }) => [
              <path key={name} class={`line-of ${tone}`} d={lineOf(values, axis)} />,
              <path key={`${name} dots`} class={`line-of dot ${tone}`} d={dotsOf(values, axis)} />,
            ])
          )}
        </svg>
        <div class="times" aria-hidden="true">
          {endsAndMiddle(labels).map((label) => (
            <span key={label}>{label}</span>
          ))}
        </div>
      </div>
    </>
  );
}

/** A column for each label, whose parts stand on each other, the first at the bottom. */
function Columns({ labels, series, axis }: Pick<ChartProps, 'labels' | 'series'> & { axis: Axis }) {
  return (
    <>
      {labels.map((label, at) => {
        let sum = 0;
        return series.map(({ name, tone, values }) => {
          const from = axis.place(sum);
          sum += values[at] ?? 0;
          const height = 100 * (axis.place(sum) - from);
          if (height === 0) return null;
          const y = 100 - 100 * axis.place(sum);
          return (
            <rect
              key={`${label} ${name}`}
              class={tone}
              x={at + 0.14}
              y={y}
              width={0.72}
              height={height}
            />
          );
        });
      })}
    </>
  );
}

/** Values that stand alone: no line leads to them. */
function dotsOf(values: readonly (number | null)[], axis: Axis): string {
  const isAlone = (_value: unknown, at: number) =>
    (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
  return lineOf(
    values.map((value, at) => (isAlone(value, at) ? value : null)),
    axis,
  );
}

/** A line through the values; where one is missing it breaks. */
function lineOf(values: readonly (number | null)[], axis: Axis): string {
  let isDrawing = false;
  return values
    .map((value, at) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const point = `${at + 0.5} ${(100 - 100 * axis.place(value)).toFixed(2)}`;
      const step = isDrawing ? `L${point}` : `M${point}h0`;
      isDrawing = true;
      return step;
    })
    .join('');
}

/** From 0 to a round number above the highest value. */
function axisOf(kind: ChartProps['kind'], series: readonly Series[]): Axis {
  const count = Math.max(...series.map(({ values }) => values.length));
  const heights = Array.from({ length: count }, (_, at) => {
    const values = series.map(({ values: all }) => all[at] ?? 0);
    return kind === 'columns' ? values.reduce((sum, one) => sum + one, 0) : Math.max(...values);
  });
  const highest = Math.max(...heights);
  const digit = 10 ** Math.floor(Math.log10(highest));
  const most = digit * ([1, 2, 4, 10].find((factor) => factor * digit >= highest) ?? 10);
  // Between 0 and 1 changes there are no others.
  const isWhole = heights.every(Number.isInteger) && !Number.isInteger(most / 2);
  return { marks: isWhole ? [0, most] : [0, most / 2, most], place: (value) => value / most };
}

/** From a second to days: each mark is as far from the next as it is many times as long. */
export function durationAxis(longest: number): Axis {
  const all = [1, 60, 3_600, 86_400, 7 * 86_400, 60 * 86_400];
  const most = all.find((mark) => mark >= longest) ?? longest;
  const marks = all.filter((mark) => mark <= most);
  return { marks, place: (value) => Math.log(Math.max(1, value)) / Math.log(Math.max(60, most)) };
}

function endsAndMiddle(labels: readonly string[]): string[] {
  const middle = labels[Math.floor((labels.length - 1) / 2)] ?? '';
  const shown = [labels[0] ?? '', middle, labels.at(-1) ?? ''];
  return [...new Set(shown)];
}

/** `40 s`, `12 min`, `5.2 h`, `3.1 days`. */
export function duration(seconds: number): string {
  const units = [
    [60, 1, 's'],
    [3_600, 60, 'min'],
    [2 * 86_400, 3_600, 'h'],
  ] as const;
  const [, size, unit] = units.find(([below]) => seconds < below) ?? [0, 86_400, 'days'];
  const amount = seconds / size;
  return `${Number(amount.toFixed(amount < 10 && size > 60 ? 1 : 0))} ${unit}`;
}

/** `18 %`; of very little, `0.4 %`. */
export function percent(share: number): string {
  const value = 100 * share;
  return `${Number(value > 0 && value < 1 ? value.toPrecision(1) : value.toFixed(0))} %`;
}

/** `200K`: what has little room. */
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });

/** `200,000`. */
export function grouped(count: number): string {
  return count.toLocaleString('en');
}

/** `$3.20`; below a dollar with more digits. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 && amount > 0 ? 4 : 2)}`;
}

/** Many numbers in a row: the name, the number that counts, and what it means. */
export function Tile(props: {
  title: string;
  value: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="tile">
      <dt>{props.title}</dt>
      <dd>
        <strong>{props.value}</strong>
        <span class="quiet">{props.children}</span>
      </dd>
    </div>
  );
}
