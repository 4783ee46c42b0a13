import { regexText } from '../../core/regex-text.ts';
import { joinContinued } from './observation.ts';

/**
 * Scripts that make code of the value of a variable: `eval`, a shell or an interpreter that gets
 * it as its program. A value that a shell merely reads is data, whatever is in it.
 */

const SHELL = '(?:ba|z|da|k|a)?sh';
const INTERPRETER = String.raw`(?:${SHELL}|python[\d.]*|node|perl|ruby|php|pwsh|powershell)`;
/** Commands whose next word is a program. */
const TAKES_PROGRAM = String.raw`(?:${SHELL}\s+(?:-\w+\s+){0,5}-\w*c|python[\d.]*\s+(?:-\w+\s+){0,5}-\w*c|node\s+(?:--?\w[\w-]*\s+){0,5}(?:-\w{0,3}[ep]|--eval|--print)|perl\s+(?:-\w+\s+){0,5}-\w*e|ruby\s+(?:-\w+\s+){0,5}-e|php\s+-r|(?:pwsh|powershell)\s+(?:-\w+\s+){0,5}-c\w*)`;
/** Commands of which each further word is part of a program. */
const TAKES_ALL = String.raw`(?:eval|iex|Invoke-Expression|ssh\s+(?:-\w\s+\S+\s+|-\S+\s+){0,8}[\w.@$\{\}-]+)`;
const RUNS = new RegExp(String.raw`(?<![\w.-])(?:(${TAKES_PROGRAM})|${TAKES_ALL})\s+`, 'gi');
const PIPED = String.raw`[^\n|]{0,300}(?:\|\s*(?:tee|tr|sed|cat|base64|envsubst|xargs)\b[^\n|]{0,100}){0,3}\|\s*(?:sudo\s+)?(?:${INTERPRETER}\b(?=\s*(?:-s?\s|-s?$|$|[;&)"\n]))|xargs\s[^\n]{0,60}\b${SHELL}\s+-c)`;
/** `bash <<EOF`, up to the line with the end mark; a quoted mark leaves variables alone. */
const HEREDOC = new RegExp(
  String.raw`(?:(?<![\w.-])(?:${INTERPRETER}|ssh\s[^\n]{0,200}?)\b[^\n|;]{0,100}?<<-?\s*|<<-?\s*(?=\w+\s*\|\s*${SHELL}\b))(\w+)[^\n]*\n`,
  'g',
);
/** Characters of one command that are read. */
const COMMAND_CHARS_MAX = 4_000;
/** Names of one script that are followed. */
const NAMES_MAX = 50;

/** The place where a script runs the value of a variable; null: it does not. */
export function evaluates(script: string, variable: string): string | null {
  // Most scripts do not name it.
  if (!script.toLowerCase().includes(variable.toLowerCase())) return null;
  const text = joinContinued(script);
  const value = new RegExp(readOf(variable), 'i');
  if (!value.test(text)) return null;
  for (const match of text.matchAll(RUNS)) {
    const start = match.index + match[0].length;
    const { end, code } = programAt(text, start, match[1] === undefined);
    const isEval = /^eval\b/i.test(match[0]);
    if (value.test(isEval ? text.slice(start, end) : code)) return text.slice(match.index, end);
  }
  const read = readOf(variable);
  const direct = [
    String.raw`\b(?:echo|printf|cat\s*<<<)\s[^\n|;]{0,200}?${read}${PIPED}`,
    String.raw`(?<![\w.-])${INTERPRETER}\s+(?:-\w*\s+){0,5}<<<\s*["']?[^\n'"]{0,200}?${read}`,
    String.raw`\bxargs\s[^\n]{0,60}\b${SHELL}\s+-c[^\n]{0,100}<<<\s*["']?[^\n'"]{0,200}?${read}`,
    String.raw`(?:\bsource|(?<=^|[\s;&|])\.|(?<![\w.-])${INTERPRETER})\s+<\(\s*(?:echo|printf)\s[^\n)]{0,200}?${read}`,
  ];
  for (const one of direct) {
    const found = new RegExp(one, 'i').exec(text);
    if (found !== null) return found[0];
  }
  for (const match of text.matchAll(HEREDOC)) {
    const body = match.index + match[0].length;
    const mark = new RegExp(String.raw`^[ \t]*${match[1]}[ \t]*$`, 'm').exec(text.slice(body));
    const end = mark === null ? text.length : body + mark.index;
    const lines = text.slice(body, Math.min(end, body + COMMAND_CHARS_MAX)).split('\n');
    const line = lines.find((one) => value.test(one.replaceAll('\\$', '')));
    if (line !== undefined) return line.trim();
  }
  return null;
}

function readOf(variable: string): string {
  const name = regexText(variable);
  return String.raw`\$(?:\{!?${name}\b|${name}\b|env:${name}\b|\(${name}\))`;
}

/**
 * The program that begins at `start`: one word, or all up to the end of the command. `code` is
 * what the shell puts values into: no text in single quotes, and no `\$`.
 */
function programAt(text: string, start: number, isAll: boolean): { end: number; code: string } {
  const limit = Math.min(text.length, start + COMMAND_CHARS_MAX);
  let code = '';
  let quote = '';
  let at = start;
  for (; at < limit; at += 1) {
    const char = text[at] ?? '';
    if (quote === "'") {
      if (char === "'") quote = '';
      continue;
    }
    if (char === '\\') {
      at += 1;
      continue;
    }
    if (quote === '"') {
      if (char === '"') quote = '';
      else code += char;
      continue;
    }
    if (char === '"' || char === "'") quote = char;
    else if (/[;&|\n]/.test(char) || (!isAll && /\s/.test(char))) break;
    else code += char;
  }
  return { end: at, code };
}

const ASSIGNED =
  /(?:^|[\s;&|(])(?:(?:export|local|readonly|declare|typeset)\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|\$\{\{[^\n]*|\$\([^\n]*|[^\s;&|]*)/gm;

/** What a script puts into variables, in order: each name with the text of its value. */
export function assignmentsOf(script: string): [name: string, value: string][] {
  const found = [...joinContinued(script).matchAll(ASSIGNED)];
  return found.slice(0, NAMES_MAX).map(([, name = '', value = '']) => [name, value]);
}

/** Whether a text reads one of the variables; not in single quotes. */
export function readsVariable(text: string, variable: string): boolean {
  if (!text.toLowerCase().includes(variable.toLowerCase())) return false;
  return new RegExp(readOf(variable), 'i').test(text);
}
