import { Untrusted } from '../parts.tsx';

/** The code around the findings of an RFC (`GET rfc/<id>/code`): secrets are hidden in it. */
export type Code =
  | { available: true; reason: null; blocks: CodeBlock[]; left_out: number }
  | { available: false; reason: string; blocks: CodeBlock[]; left_out: number };

/** Lines that stand together, and the findings that they are shown for. */
export interface CodeBlock {
  file: string;
  finding_ids: string[];
  lines: {
    side: 'added' | 'removed' | 'context';
    /** Line in the old and in the new file, 1-based; null: it is not there. */
    old: number | null;
    new: number | null;
    text: string;
    is_cut: boolean;
  }[];
}

const SIGNS = { added: '+', removed: '−', context: ' ' } as const;

/** The lines of a diff around findings; `hits` are theirs in the new file. */
export function CodeView({ block, hits }: { block: CodeBlock; hits: ReadonlySet<number | null> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <figure class="code-box" tabIndex={0} aria-label={`Code of ${block.file}`}>
      <table class="code">
        <tbody>
          {block.lines.map((line) => {
            const isHit = line.new !== null && hits.has(line.new);
            return (
              <tr
                key={`${line.old} ${line.new}`}
                class={`${line.side}${isHit ? ' hit' : ''}`}
                {...(isHit && { 'aria-current': 'true' as const })}
              >
                <td class="number">{line.old}</td>
                <td class="number">{line.new}</td>
                <td class="sign">{SIGNS[line.side]}</td>
                <td class="text">
                  <Untrusted text={line.text} />
                  {line.is_cut && <span class="mark">line goes on</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </figure>
  );
}
