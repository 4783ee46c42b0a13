import type { SinkLine } from '../../../rules/catalogue/line.ts';
import { pythonPackages } from '../../../rules/catalogue/python.ts';
import type { Hint } from '../sinks/sink.ts';

/** Signs of data from outside: without one of them only text that is put together counts. */
const SOURCE_SIGN = new RegExp(
  String.raw`\brequest\b|\breq\.|\bRequest\b|\bself\.(?:path|headers|rfile|kwargs|get_\w*argument)|` +
    String.raw`\bget_(?:query_|body_)?arguments?\b|\bweb_?[sS]ocket\b|\bFieldStorage\b|\benviron\b|` +
    String.raw`\(\s{0,9}_?event\s{0,9},\s{0,9}_?context|\.recv\w{0,9}\(|\b(?:cleaned|validated)_data\b|` +
    String.raw`@\w{1,40}(?:\.\w{1,40}){0,3}\.(?:get|post|put|patch|delete|head|options|api_route|route|websocket)\s{0,9}\(|` +
    String.raw`\b(?:BaseHTTPRequestHandler|BaseRequestHandler|UploadFile)\b`,
);
/** Signs of a text that is put together. */
const BUILT =
  /\b[rR]?[fF][rR]?["']|["']\s{0,9}[%+]|\+\s{0,9}["'frFR]|\.format\s{0,9}\(|%\s{0,9}\(|\+=|\.join\(/;
const SHELL =
  /\bshell\s{0,9}=|\b(?:system|popen|getoutput|getstatusoutput|create_subprocess_shell)\b/;
const STATEMENT = /\b(?:select|insert|update|delete|from|where|drop|alter|create)\b/i;

/** Signs of the sinks of Python in raw text. */
export function pythonHints(): Hint[] {
  const lines = pythonPackages.flatMap((entry) => entry.sinks ?? []);
  const names = lastNames(lines);
  const statements = lastNames(lines.filter(({ kind }) => kind === 'sql'));
  return [
    { words: names, patterns: [wordOf(names), SOURCE_SIGN] },
    {
      words: [
        'shell',
        'system',
        'popen',
        'getoutput',
        'getstatusoutput',
        'create_subprocess_shell',
      ],
      patterns: [SHELL, BUILT],
    },
    { words: statements, patterns: [wordOf(statements), STATEMENT, BUILT] },
  ];
}

function wordOf(words: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<!\w)(?:${words.join('|')})(?!\w)`);
}

function lastNames(lines: readonly SinkLine[]): string[] {
  const paths = lines.flatMap(({ exports }) => exports.split(' '));
  return [...new Set(paths.map((path) => path.slice(path.lastIndexOf('.') + 1)))];
}
