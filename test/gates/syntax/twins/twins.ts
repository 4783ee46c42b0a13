import { readFileSync } from 'node:fs';
import { languageOf, mayHoldSink } from '../../../../src/gates/syntax/languages.ts';
import { openTree } from '../../../../src/gates/syntax/program/tree.ts';
import { type GateFinding, type Severity, severityRank } from '../../../../src/model/finding.ts';
import { findingsOf } from '../../../analysis/worker/gates-run.ts';
import { fragmentOf, inspectTree, newFile, readerOf } from '../code.ts';

/** A class of weakness: how it is written, and what is harmless in the same place. */
interface Weakness {
  readonly name: string;
  readonly cwe: string;
  /** A fixed value is wrong, not data from outside. */
  readonly isFixed: boolean;
  /** What is less grave is said of any function that does this with a parameter. */
  readonly least: Severity;
  readonly imports: readonly string[];
  /** What a file declares for the sink. */
  readonly top: readonly string[];
  readonly words: ReadonlyMap<string, string>;
}

/** A way in which people write code, with a weak member and a safe one. */
interface Construction {
  readonly name: string;
  readonly except: ReadonlySet<string>;
  /** The classes that it is for; none: all. */
  readonly only: ReadonlySet<string>;
  readonly isForFixed: boolean;
  readonly parts: ReadonlyMap<string, string>;
}

/** How a language puts a member together. */
interface Form {
  readonly path: string;
  readonly source: string;
  readonly fileOf: (imports: readonly string[], top: string, body: string) => string;
}

export interface Twin {
  readonly weakness: string;
  readonly construction: string;
  readonly cwe: string;
  readonly least: Severity;
  readonly path: string;
  readonly bad: string;
  readonly good: string;
  /** Other files of the program, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What gate 2 says of the two members of a twin. */
export interface Outcome {
  readonly isFound: boolean;
  readonly isAlarm: boolean;
}

/** A twin may have more imports than it uses: nothing compiles it. */
const GO_PACKAGES = [
  'archive/zip bufio bytes compress/gzip container/list context database/sql encoding/base64',
  'encoding/csv encoding/json encoding/xml errors fmt io iter log maps net/http net/url regexp',
  'slices strconv strings sync sync/atomic time unicode github.com/gin-gonic/gin',
  'github.com/go-chi/chi/v5 github.com/gofiber/fiber/v2 github.com/google/uuid',
  'github.com/gorilla/mux github.com/gorilla/websocket github.com/labstack/echo/v4',
  'github.com/lib/pq golang.org/x/sync/errgroup',
].flatMap((line) => line.split(' '));

const JAVA_PACKAGES = [
  'java.io java.security java.sql java.util java.util.stream javax.crypto javax.naming.directory',
  'javax.servlet.http javax.ws.rs javax.xml.xpath org.springframework.web.bind.annotation',
].flatMap((line) => line.split(' '));

/** What sinks need: connections, and functions that keep a cookie. */
const JAVA_MEMBERS = `private Connection connection;
private DirContext directory;
private org.w3c.dom.Document document;

static void keep(HttpServletResponse response, Cookie cookie, boolean isSecure) {
    cookie.setSecure(isSecure);
    cookie.setHttpOnly(true);
    response.addCookie(cookie);
}

static Cookie strict(String name, String value) {
    Cookie cookie = new Cookie(name, value);
    cookie.setSecure(true);
    cookie.setHttpOnly(true);
    return cookie;
}
`;

const CSHARP_NAMESPACES = [
  'System System.Collections.Generic System.Diagnostics System.IO System.Linq System.Net.Http',
  'System.DirectoryServices System.Runtime.Serialization.Formatters.Binary System.Text System.Xml',
  'System.Net System.Security.Cryptography System.Text.RegularExpressions Microsoft.Data.SqlClient',
  'Microsoft.AspNetCore.Html Microsoft.AspNetCore.Mvc Microsoft.CodeAnalysis.CSharp.Scripting',
].flatMap((line) => line.split(' '));

const CSHARP_MEMBERS = `private readonly SqlConnection connection = new SqlConnection(settings);
private readonly HttpClient web = new HttpClient();
private readonly XmlDocument document = new XmlDocument();
`;

const FORMS = {
  python: {
    path: 'src/app.py',
    source: "request.args.get('name')",
    fileOf: (imports, top, body) =>
      [
        'import collections, configparser, contextvars, types',
        'from flask import Flask, abort, make_response, redirect, request',
        ...imports,
        'app = Flask(__name__)',
        top,
        "@app.post('/act')\ndef act():",
        indented(`${body}\nreturn 'done'`, '    '),
      ].join('\n'),
  },
  golang: {
    path: 'src/app.go',
    source: 'r.FormValue("name")',
    fileOf(paths, top, body) {
      const all = [...new Set(paths.flatMap((line) => line.split(' ')).concat(GO_PACKAGES))];
      const imports = all.map((path) => `\t"${path}"\n`).join('');
      const handler = `func act(w http.ResponseWriter, r *http.Request) {\n${indented(body, '\t')}\n}`;
      return `package app\n\nimport (\n${imports})\n\nvar db *sql.DB\n\n${top}\n\n${handler}\n`;
    },
  },
  java: {
    path: 'src/main/java/app/Act.java',
    source: 'request.getParameter("name")',
    fileOf(_, top, body) {
      const imports = JAVA_PACKAGES.map((name) => `import ${name}.*;\n`).join('');
      const head =
        'public void doPost(HttpServletRequest request, HttpServletResponse response) ' +
        'throws Exception {';
      const method = `@Override\n${head}\n${indented(body, '    ')}\n}`;
      const members = indented(`${JAVA_MEMBERS}\n${top}\n\n${method}`, '    ');
      return `package app;\n\n${imports}\npublic class Act extends HttpServlet {\n${members}\n}\n`;
    },
  },
  csharp: {
    path: 'src/Act.cs',
    source: 'Request.Form["name"].ToString()',
    fileOf(_, top, body) {
      const usings = CSHARP_NAMESPACES.map((name) => `using ${name};\n`).join('');
      const head = '[HttpPost]\npublic async Task<IActionResult> Run()\n{';
      const method = `${head}\n${indented(`${body}\nreturn Ok();`, '    ')}\n}`;
      const members = indented(`${CSHARP_MEMBERS}\n${top}\n\n${method}`, '    ');
      return `${usings}\nnamespace App;\n\npublic class Act : Controller\n{\n${members}\n}\n`;
    },
  },
} satisfies Record<string, Form>;

export type TwinLanguage = keyof typeof FORMS;
export const TWIN_LANGUAGES = Object.keys(FORMS) as TwinLanguage[];

/** Every construction with every class that it fits, as the text file of the language has them. */
export function twinsOf(language: TwinLanguage): Twin[] {
  const url = new URL(`../../../../../test/gates/syntax/twins/${language}.txt`, import.meta.url);
  const [classes = '', ...constructions] = readFileSync(url, 'utf8').split(/^=== /m);
  const weaknesses = classes
    .split(/^class /m)
    .slice(1)
    .map(weaknessOf);
  const form = FORMS[language];
  return constructions
    .map(constructionOf)
    .flatMap((construction) =>
      weaknesses
        .filter((weakness) => fits(construction, weakness))
        .map((weakness) => twinOf(form, construction, weakness)),
    );
}

/** Inspects both members as whole files. A finding of another class counts for neither. */
export async function judged({ path, cwe, least, bad, good, files }: Twin): Promise<Outcome> {
  const reports = async (text: string) => {
    const findings = await foundIn(path, text, files);
    return findings.some(
      (one) => one.cwe === cwe && severityRank(one.severity) <= severityRank(least),
    );
  };
  return { isFound: await reports(bad), isAlarm: await reports(good) };
}

/** What gate 2 says of a new file, beside other files of its program. */
async function foundIn(
  path: string,
  text: string,
  files: Twin['files'],
): Promise<readonly GateFinding[]> {
  if (Object.keys(files).length > 0) {
    const base = openTree(readerOf(files));
    const head = openTree(readerOf({ ...files, [path]: text }));
    return await findingsOf(newFile(path, text), { files: [], program: { base, head } });
  }
  if (!mayHoldSink(Buffer.from(text), languageOf(path) ?? 'js')) return [];
  return (await inspectTree(fragmentOf(text, { path }))).findings;
}

function weaknessOf(text: string): Weakness {
  const [head = '', ...lines] = text.trim().split('\n');
  const [name = '', cwe = ''] = head.split(' ');
  const words = new Map<string, string>();
  const imports: string[] = [];
  const top: string[] = [];
  for (const line of lines) {
    const [, word, value] = /^(sink|safe|weak|clean|wrong|least|like|top) (.*)$/.exec(line) ?? [];
    if (word === 'top' && value !== undefined) top.push(value);
    else if (word !== undefined && value !== undefined) words.set(word, value);
    else if (line !== 'fixed') imports.push(line);
  }
  const least = (words.get('least') ?? 'info') as Severity;
  return { name, cwe, isFixed: lines.includes('fixed'), least, imports, top, words };
}

/** Parts by their marks: what stands before the first mark belongs to both members. */
function constructionOf(text: string): Construction {
  const end = text.indexOf('\n');
  const notes = /^(?:(?:except|only|also) .*\n)*/.exec(text.slice(end + 1))?.[0] ?? '';
  const parts = new Map<string, string>();
  for (const part of `--- shared\n${text.slice(end + 1 + notes.length)}`.split(/^--- /m).slice(1)) {
    const break_ = part.indexOf('\n');
    parts.set(part.slice(0, break_), part.slice(break_ + 1).trimEnd());
  }
  const named = (note: RegExp) => new Set(note.exec(notes)?.[1]?.split(' '));
  return {
    name: text.slice(0, end),
    except: named(/^except (.*)$/m),
    only: named(/^only (.*)$/m),
    isForFixed: /^also fixed$/m.test(notes),
    parts,
  };
}

function fits(
  { except, only, isForFixed, parts }: Construction,
  { name, isFixed, words }: Weakness,
) {
  if (isFixed) return isForFixed;
  if (only.size > 0) return only.has(name);
  const text = [...parts.values()].join('\n');
  const isMade = words.has('clean') && words.has('wrong');
  const isLeftOut = except.has(name) || except.has(words.get('like') ?? '');
  return !isLeftOut && (isMade || !/\b(?:CLEAN|WRONG)\(/.test(text));
}

function twinOf(form: Form, construction: Construction, weakness: Weakness): Twin {
  const { parts } = construction;
  const written = (text: string) => filled(text, form, weakness);
  const imports = [...weakness.imports, ...(parts.get('import')?.split('\n') ?? [])];
  const member = (which: 'bad' | 'good') => {
    const own = parts.get(which) ?? '';
    const [, body = own, top = ''] = /^handler:\n([\s\S]*?)\ntop:\n([\s\S]*)$/.exec(own) ?? [];
    const shared = [...weakness.top, parts.get('shared'), parts.get('both'), top];
    return form.fileOf(imports, written(shared.join('\n')), written(body));
  };
  const files = [...parts].flatMap(([mark, text]): [string, string][] =>
    mark.startsWith('file ') ? [[mark.slice('file '.length), `${written(text)}\n`]] : [],
  );
  return {
    weakness: weakness.name,
    construction: construction.name,
    cwe: weakness.cwe,
    least: weakness.least,
    path: form.path,
    bad: member('bad'),
    good: member('good'),
    files: Object.fromEntries(files),
  };
}

/** The text with the class's own source, sink, harmless value and functions in it. */
function filled(text: string, { path, source }: Form, { isFixed, words }: Weakness): string {
  const word = (name: string) => words.get(name) ?? '';
  let result = text;
  // From the inside to the outside.
  for (const name of ['CLEAN', 'WRONG', 'SINK']) {
    result = applied(result, name, word(name.toLowerCase()));
  }
  return result
    .replace(/\bTYPE\b/g, () => typeIn(path, word('safe')))
    .replace(/\bSOURCE\b/g, () => (isFixed ? word('weak') : source))
    .replace(/\bSAFE\b/g, () => word('safe'));
}

/** The type that a value has in Go, Java or C#. */
function typeIn(path: string, value: string): string {
  const isJava = path.endsWith('.java');
  if (/^(?:true|false)$/.test(value)) return isJava ? 'boolean' : 'bool';
  if (isJava) return 'String';
  if (path.endsWith('.cs')) return 'string';
  return /^"/.test(value) ? 'string' : 'int';
}

/** Each `NAME(argument)` as the pattern says, with the argument at `$`. */
function applied(text: string, name: string, pattern: string): string {
  const at = text.search(new RegExp(`\\b${name}\\(`));
  if (at < 0) return text;
  const start = at + name.length + 1;
  let end = start;
  for (let depth = 1; depth > 0 && end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
  }
  const argument = text.slice(start, end - 1);
  const rest = applied(text.slice(end), name, pattern);
  return `${text.slice(0, at)}${pattern.replace(/\$(?![a-z])/, () => argument)}${rest}`;
}

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}
