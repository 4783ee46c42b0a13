import { BlockBuilder } from './blocks.ts';
import type { Document } from './document.ts';

/** How a program writes its settings, one a line. */
interface Notation {
  /** A line that is a comment, and what begins one behind a value, if anything does. */
  readonly comment: RegExp;
  readonly tail?: RegExp;
  /** Between a name and its value. */
  readonly separator: RegExp;
  /** A line that begins a section: its type, and perhaps more. */
  readonly section?: RegExp;
  /** The section of lines before the first: they are there in a part of a file alone. */
  readonly first?: string;
  /** A line goes on that ends in a backslash, precedes an indented one, or has open brackets. */
  readonly continued?: 'backslash' | 'indent' | 'brackets';
  /** One spelling of a name for all that the program takes. */
  key(name: string): string;
}

/*
 * Lines may be as long as a file, so no expression may look at one blank or name from more than one
 * place: what stands before a run, or behind it, says where it begins or ends.
 */
const BRACKETS = /^\[\s*([^\]\s]+)(?=[\]\s])([^\]]*)\]/;
const EQUALS = /(?<!\s)\s*=\s*/;
const EQUALS_OR_COLON = /(?<!\s)\s*[=:]\s*/;
const lowerCase = (name: string) => name.toLowerCase();
const withHyphens = (name: string) => name.toLowerCase().replaceAll('_', '-');

const NOTATIONS = {
  // man.openbsd.org/sshd_config
  sshd: {
    comment: /^#/,
    tail: /\s#/,
    separator: /\s*=\s*|\s+/,
    section: /^(match)\s+(.*)/i,
    key: lowerCase,
  },
  // www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html
  systemd: {
    comment: /^[#;]/,
    separator: EQUALS,
    section: BRACKETS,
    first: 'Service',
    continued: 'backslash',
    key: (name: string) => name,
  },
  // docs.npmjs.com/cli/configuring-npm/npmrc
  npm: {
    comment: /^[#;]/,
    tail: /\s[#;]/,
    separator: EQUALS,
    // A registry of a scope is a registry.
    key: (name: string) => name.replace(/\[\]$/, '').replace(/^@[^:]+:(?=registry$)/, ''),
  },
  // pip.pypa.io/en/stable/topics/configuration
  pip: {
    comment: /^[#;]/,
    separator: EQUALS_OR_COLON,
    section: BRACKETS,
    first: 'global',
    continued: 'indent',
    key: withHyphens,
  },
  // www.php.net/manual/en/configuration.file.php
  php: { comment: /^[#;]/, tail: /(?<!\s)\s*;/, separator: EQUALS, key: lowerCase },
  // dev.mysql.com/doc/refman/en/option-files.html
  mysql: {
    comment: /^[#;!]/,
    tail: /\s#/,
    separator: EQUALS,
    section: BRACKETS,
    first: 'mysqld',
    key: withHyphens,
  },
  // www.postgresql.org/docs/current/config-setting.html
  postgresql: { comment: /^#/, tail: /(?<!\s)\s*#/, separator: /\s*=\s*|\s+/, key: lowerCase },
  // redis.io/docs/latest/operate/oss_and_stack/management/config
  redis: { comment: /^#/, separator: /\s+/, key: lowerCase },
  // docs.haproxy.org/dev/configuration.html
  haproxy: {
    comment: /^#/,
    tail: /\s#/,
    separator: /\s+/,
    section: /^(global|defaults|frontend|backend|listen|peers|resolvers|userlist|cache)\b\s*(.*)/,
    key: lowerCase,
  },
  // toml.io/en/v1.0.0: a table is a section by its name, and so is each one of an array of tables
  toml: {
    comment: /^#/,
    separator: EQUALS,
    section: /^\[{1,2}([^[\]=]{1,300})\]{1,2}\s*(?:#.*)?$/,
    continued: 'brackets',
    key: (name: string) => name.replaceAll(/["']/g, ''),
  },
  // docs.spring.io/spring-boot/reference/features/external-config.html
  properties: {
    comment: /^[#!](?!---)/,
    separator: /\s*[=:]\s*|\s+/,
    section: /^[#!](---)\s*$/,
    continued: 'backslash',
    key: (name: string) => name,
  },
} satisfies Readonly<Record<string, Notation>>;

/** Programs whose settings stand one a line. */
export type LineNotation = keyof typeof NOTATIONS;

/** Reads settings that stand one a line, perhaps in sections. */
export function readSettingLines(text: string, notation: LineNotation): Document {
  const { comment, separator, section, first, continued, key, tail }: Notation =
    NOTATIONS[notation];
  const builder = new BlockBuilder(text, 'lines');
  for (const line of linesOf(text, continued)) {
    if (builder.isEnded) break;
    const body = line.text.trim();
    if (body === '' || comment.test(body)) continue;
    const start = line.start + line.text.search(/\S/);
    const end = start + body.length;
    const [, type, more = ''] = section?.exec(body) ?? [];
    if (type !== undefined) {
      if (builder.block !== '') builder.close(start);
      const name = { key: notation === 'sshd' ? 'match' : type.trim(), start, end };
      builder.open(name, more.trim(), start, end);
      continue;
    }
    if (first !== undefined && builder.block === '') {
      builder.open({ key: first, start, end: start }, '', start, start);
    }
    const found = separator.exec(body);
    const nameEnd = found?.index ?? body.length;
    const valueStart = nameEnd + (found?.[0].length ?? 0);
    const name = { key: key(body.slice(0, nameEnd)), start, end: start + nameEnd };
    // A name by itself is a switch.
    const value = found === null ? 'true' : textOfValue(body.slice(valueStart), tail);
    builder.setting(name, value, start, end);
  }
  if (builder.block !== '') builder.close(text.length);
  return builder.document();
}

/** Without quotes, continuations, and a comment behind it. */
function textOfValue(text: string, tail: RegExp | undefined): string {
  const [, quote, inner = ''] =
    /^(["'])((?:(?!\1)[^\\]|\\[\s\S]|\1\1)*)\1\s*(?:[#;].*)?$/.exec(text) ?? [];
  if (quote !== undefined) return inner.replaceAll(quote + quote, quote);
  const joined = text.replace(/\\?\r?\n\s*/g, ' ');
  const at = tail === undefined ? -1 : ` ${joined}`.search(tail);
  return (at === -1 ? joined : joined.slice(0, Math.max(0, at - 1))).trim();
}

interface Line {
  text: string;
  readonly start: number;
}

/** Lines; a line that others continue holds them. */
function linesOf(text: string, continued: Notation['continued']): Line[] {
  const lines: Line[] = [];
  let start = 0;
  let from = 0;
  let open = 0;
  const plain = (line: string) => (continued === 'brackets' ? withoutComments(line) : line);
  for (let at = 0; at < text.length; at = from) {
    const found = text.indexOf('\n', at);
    const end = found === -1 ? text.length : found;
    from = end + 1;
    const isComment = /^\s*[#;!]/.test(text.slice(start, start + 100));
    if (continued === 'brackets') {
      const isNew = isComment || BEGINS.test(text.slice(from, from + 300));
      open = isNew ? 0 : bracketsOpen(text.slice(at, end), open);
    }
    const goesOn =
      open > 0 ||
      (continued === 'backslash' && !isComment && isContinued(text, end)) ||
      (continued === 'indent' && !isComment && /^[ \t]+\S/.test(text.slice(from, from + 100)));
    if (goesOn && found !== -1) continue;
    lines.push({ text: plain(text.slice(start, end)), start });
    start = from;
  }
  if (start < text.length) lines.push({ text: plain(text.slice(start)), start });
  return lines;
}

/** A line of TOML that begins a table or a setting, whatever a text before it leaves open. */
const BEGINS = /^(?:[ \t]*\[{1,2}[ \t]*[A-Za-z_][\w.\-"' \t]*\]|[\w.-]+[ \t]*=)/;

/** Texts, comments and brackets of TOML; a text ends with its line. */
const TOML = /"(?:[^"\\\n]|\\.?)*(?:"|$)|'[^'\n]*(?:'|$)|#.*|[[\]{}]/gm;

/** Brackets that are open behind a line of TOML, outside of its texts and comments. */
function bracketsOpen(line: string, before: number): number {
  let open = before;
  for (const [token] of line.matchAll(TOML)) {
    if (token === '[' || token === '{') open += 1;
    else if (token === ']' || token === '}') open = Math.max(0, open - 1);
  }
  return open;
}

/** A comment between the items of a list hides none of them. */
function withoutComments(text: string): string {
  return text.replace(TOML, (token) => (token.startsWith('#') ? ' '.repeat(token.length) : token));
}

function isContinued(text: string, end: number): boolean {
  const last = text[end - 1] === '\r' ? end - 2 : end - 1;
  return text[last] === '\\';
}

/**
 * Reads the lines of a `pg_hba.conf` (www.postgresql.org/docs/current/auth-pg-hba-conf.html): each
 * is a block `hba` with the names of its columns.
 */
export function readHba(text: string): Document {
  const builder = new BlockBuilder(text, 'lines');
  for (const { text: line, start } of linesOf(text, undefined)) {
    if (builder.isEnded) break;
    const words = [...line.replace(/#.*/, '').matchAll(/"[^"]*"|\S+/g)];
    const [type, database, user, ...rest] = words;
    if (type === undefined || database === undefined || user === undefined) continue;
    const hasMask = /^[\d.:a-f]+$/i.test(rest[1]?.[0] ?? '') && rest.length > 2;
    const address = type[0] === 'local' ? undefined : rest[0];
    const method = address === undefined ? rest[0] : rest[hasMask ? 2 : 1];
    const at = start + type.index;
    const end = start + line.trimEnd().length;
    builder.open({ key: 'hba', start: at, end }, words.map(([word]) => word).join(' '), at, end);
    for (const [key, word] of Object.entries({ type, database, user, address, method })) {
      if (word === undefined) continue;
      const from = start + word.index;
      const to = from + word[0].length;
      builder.setting({ key, start: from, end: from }, word[0].replace(/"/g, ''), from, to);
    }
    builder.close(end);
  }
  return builder.document();
}
