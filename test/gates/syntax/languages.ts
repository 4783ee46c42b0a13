import { javaTable } from '../../../src/rules/catalogue/java.ts';
import { kotlinTable } from '../../../src/rules/catalogue/kotlin.ts';
import type { Table } from '../../../src/rules/catalogue/table.ts';

/** A language, and how its cases become files and hunks. */
export interface Language {
  readonly name: string;
  readonly path: string;
  /** The finding that a harmful case of a class makes, where it does not say another one. */
  readonly expected: Readonly<Record<string, string>>;
  readonly fileOf: (code: string) => string;
  readonly hunkOf: (code: string) => string;
  /** What a hunk shows before and behind it. */
  readonly before: string;
  readonly after: string;
}

const EXPECTED = {
  command: 'vuln-01 critical',
  sql: 'vuln-03 critical',
  path: 'vuln-05 critical',
  request: 'vuln-06 critical',
};

export const PYTHON: Language = {
  name: 'python',
  path: 'src/app.py',
  expected: { ...EXPECTED, deserialise: 'vuln-07 critical' },
  fileOf: (code) => code,
  hunkOf: (code) => code,
  before: `            self.count += 1
        except ValueError:
            log.debug('none')
        else:
            return {
                'a': 1,
            }

`,
  after: `
def later(level):
    if level > 1:
        other(level,
`,
};

/** Packages of the cases by their names; a hunk does not show its imports. */
const IMPORTS = new Map(
  [
    'archive/tar archive/zip bufio bytes context crypto/sha256 crypto/tls database/sql embed',
    'compress/gzip compress/zlib encoding/base64 encoding/gob encoding/hex encoding/json encoding/xml errors fmt html io',
    'io/fs io/ioutil log net net/http net/http/httputil net/rpc net/smtp net/url os os/exec path',
    'path/filepath plugin regexp slices strconv strings sync syscall text/template time',
    'github.com/antchfx/htmlquery github.com/antchfx/xmlquery github.com/antchfx/xpath',
    'github.com/aws/aws-lambda-go/events github.com/beevik/etree github.com/dop251/goja',
    'github.com/flosch/pongo2/v6 github.com/gin-gonic/gin github.com/go-chi/chi/v5',
    'github.com/go-resty/resty/v2 github.com/gofiber/fiber/v2 github.com/google/uuid',
    'github.com/gorilla/mux github.com/gorilla/websocket github.com/hashicorp/go-retryablehttp',
    'github.com/jackc/pgx/v5 github.com/jackc/pgx/v5/pgxpool github.com/jmoiron/sqlx',
    'github.com/julienschmidt/httprouter github.com/labstack/echo/v4 github.com/lib/pq',
    'github.com/Masterminds/squirrel github.com/robertkrimen/otto github.com/uptrace/bun',
    'github.com/traefik/yaegi/interp github.com/valyala/fasthttp golang.org/x/crypto/ssh',
    'google.golang.org/grpc gopkg.in/yaml.v3 gorm.io/gorm xorm.io/xorm',
    'al.essio.dev/pkg/shellescape github.com/kballard/go-shellquote',
    'github.com/cyphar/filepath-securejoin github.com/yuin/gopher-lua github.com/kataras/iris/v12',
    'github.com/emicklei/go-restful/v3 github.com/gocolly/colly/v2 github.com/go-git/go-git/v5',
    'github.com/mmcdole/gofeed github.com/gosimple/slug rogchap.com/v8go github.com/d5/tengo/v2',
    'github.com/vmihailenco/msgpack/v5 github.com/BurntSushi/toml crypto/hmac',
  ]
    .flatMap((line) => line.split(' '))
    .map((path) => [nameOfPackage(path), path]),
);

function nameOfPackage(path: string): string {
  const last =
    path
      .replace(/[/.]v\d+$/, '')
      .split('/')
      .at(-1) ?? '';
  return last.replace(/^go-(?!git|restful)|^filepath-|^gopher-/, '').replace(/^go-/, '');
}

/** Imports that a case writes itself, as its packages have names that others have as well. */
const OWN_IMPORT = /^import (.*\n)/gm;

/**
 * A case is functions, or the body of a handler behind its parameters (those of net/http), behind
 * its own imports.
 */
function withFunction(code: string): string {
  if (/^(?:func|type|var|const|import) /m.test(code)) return code;
  const [first = ''] = code.split('\n', 1);
  const head = first.startsWith('(') ? first : '(w http.ResponseWriter, r *http.Request)';
  const body = first.startsWith('(') ? code.slice(first.length + 1) : code;
  return `func handle${head} {\n${body.replace(/^(?=.)/gm, '\t')}}\n`;
}

/** Whether an import gives its package that name. */
function isCalled(spec: string, name: string): boolean {
  const [, alias, path = ''] = /^(\w+ )?"(.*)"/.exec(spec) ?? [];
  return (alias?.trim() ?? nameOfPackage(path)) === name;
}

export const GO: Language = {
  name: 'golang',
  path: 'src/app.go',
  expected: {
    ...EXPECTED,
    deserialise: 'ast-deserialise high',
    constructs: 'vuln-01 critical',
  },
  fileOf(code) {
    const own = [...code.matchAll(OWN_IMPORT)].map(([, spec = '']) => spec);
    const whole = withFunction(code.replace(OWN_IMPORT, ''));
    const used = [...IMPORTS].filter(
      ([name]) =>
        new RegExp(`\\b${name}\\.`).test(whole) && !own.some((spec) => isCalled(spec, name)),
    );
    const lines = [...used.map(([, path]) => `"${path}"\n`), ...own].map((spec) => `\t${spec}`);
    return `package app\n\nimport (\n${lines.join('')})\n\n${whole}`;
  },
  hunkOf: withFunction,
  before: `\t\t\treturn err
\t\t}
\t} else if a.count > 0 {
\t\tdefer func() {
\t\t\ta.count = 0
\t\t}()
\t}
\treturn nil
}

`,
  after: `
func later(level int) error {
\tif level > 1 {
\t\tother(level,
`,
};

/** Classes of the catalogue by their names, the first of two of one name first. */
const CLASSES = classesOf(javaTable);

function classesOf({ sanitizers, packages }: Table): Map<string, string> {
  const named = [...sanitizers, ...packages]
    .flatMap((entry) => {
      const lines =
        'exports' in entry
          ? [entry]
          : [
              ...(entry.types === undefined ? [] : [{ exports: entry.types }]),
              ...(entry.sources ?? []),
              ...(entry.sinks ?? []),
              ...(entry.propagators ?? []),
            ];
      return lines.flatMap((line) => line.exports.split(' ').map((path) => [entry.package, path]));
    })
    .map(([name = '', path = '']) => [path.split(/[.(]/, 1)[0] ?? '', name] as const)
    .filter(([name]) => /^[A-Z]/.test(name))
    .reverse();
  return new Map(named);
}

const MEMBERS = /^(?:@|(?:public|private|protected|static|class|record|enum|interface) )/;

/** A case is members of a class, or the body of a method behind its parameters (a servlet's). */
function withMethod(code: string): string {
  const [first = ''] = code.split('\n', 1);
  if (MEMBERS.test(first)) return code;
  const head = first.startsWith('(')
    ? first
    : '(HttpServletRequest request, HttpServletResponse response)';
  const body = first.startsWith('(') ? code.slice(first.length + 1) : code;
  return `public Object handle${head} throws Exception {\n${body.replace(/^(?=.)/gm, '    ')}}\n`;
}

const IMPORT = /^import .*\n/gm;

export const JAVA: Language = {
  name: 'java',
  path: 'src/main/java/app/App.java',
  expected: { ...EXPECTED, deserialise: 'vuln-07 critical' },
  fileOf(code) {
    const written = code.match(IMPORT) ?? [];
    const own = new Set(written.map((line) => /(\w+);/.exec(line)?.[1]));
    const whole = withMethod(code.replace(IMPORT, ''));
    const used = [...CLASSES].filter(
      ([name]) => !own.has(name) && new RegExp(`(?<![.\\w])${name}\\b`).test(whole),
    );
    const lines = used.map(([name, path]) => `import ${path}.${name};\n`);
    const stars = 'import java.util.*;\nimport java.util.regex.*;\nimport java.util.stream.*;\n';
    const members = whole.replace(/^(?=.)/gm, '    ');
    return `package app;\n\n${stars}${[...lines, ...written].join('')}\npublic class App {\n${members}}\n`;
  },
  hunkOf: (code) => withMethod(code.replace(IMPORT, '')).replace(/^(?=.)/gm, '    '),
  before: `                return null;
            }
        } catch (IOException e) {
            log.debug("none", e);
        }
        this.count = 0;
    }

`,
  after: `
    int later(int level) {
        if (level > 1) {
            other(level,
`,
};

const CSHARP_MEMBERS = /^(?:\[|(?:public|private|protected|internal|static|record|class|enum) )/;
const USING = /^using [\w.]+;\n/gm;

/** A case is members of a class, or the body of an action behind its parameters. */
function withAction(code: string): string {
  const [first = ''] = code.split('\n', 1);
  if (CSHARP_MEMBERS.test(first)) return code;
  const head = first.startsWith('(') ? first : '([FromQuery] string name)';
  const body = first.startsWith('(') ? code.slice(first.length + 1) : code;
  return `[HttpGet]\npublic async Task<IActionResult> Handle${head}\n{\n${body.replace(/^(?=.)/gm, '    ')}}\n`;
}

export const CSHARP: Language = {
  name: 'csharp',
  path: 'src/App.cs',
  expected: {},
  fileOf(code) {
    const written = code.match(USING) ?? [];
    const members = withAction(code.replace(USING, '')).replace(/^(?=.)/gm, '    ');
    const head = `using Microsoft.AspNetCore.Mvc;\n${written.join('')}\nnamespace App;\n\n`;
    return `${head}public class AppController : Controller\n{\n${members}}\n`;
  },
  hunkOf: (code) => withAction(code.replace(USING, '')).replace(/^(?=.)/gm, '    '),
  before: `                return null;
            }
        }
        catch (IOException e)
        {
            log.Debug("none", e);
        }
        this.count = 0;
    }

`,
  after: `
    int Later(int level)
    {
        if (level > 1)
        {
            Other(level,
`,
};

const KOTLIN_CLASSES = classesOf(kotlinTable);
const KOTLIN_MEMBERS =
  /^(?:@|(?:(?:private|internal|suspend|inline|data|enum|sealed|companion|lateinit) |fun |class |object |interface ))/;
const KOTLIN_IMPORT = /^import .*\n/gm;

/** A case is members of a class, or the body of a function behind its parameters (a servlet's). */
function withFun(code: string): string {
  const [first = ''] = code.split('\n', 1);
  if (KOTLIN_MEMBERS.test(first)) return code;
  const head = first.startsWith('(')
    ? first
    : '(request: HttpServletRequest, response: HttpServletResponse)';
  const body = first.startsWith('(') ? code.slice(first.length + 1) : code;
  return `fun handle${head}: Any? {\n${body.replace(/^(?=.)/gm, '    ')}}\n`;
}

export const KOTLIN: Language = {
  name: 'kotlin',
  path: 'src/main/kotlin/app/App.kt',
  expected: { ...EXPECTED, deserialise: 'vuln-07 critical' },
  fileOf(code) {
    const written = code.match(KOTLIN_IMPORT) ?? [];
    const own = new Set(written.map((line) => /(\w+)\n/.exec(line)?.[1]));
    const whole = withFun(code.replace(KOTLIN_IMPORT, ''));
    const used = [...KOTLIN_CLASSES].filter(
      ([name, path]) =>
        !/^(?:java\.lang|kotlin)$/.test(path) &&
        !own.has(name) &&
        new RegExp(`(?<![.\\w])${name}\\b`).test(whole),
    );
    const lines = used.map(([name, path]) => `import ${path}.${name}\n`);
    const stars = 'import java.util.*\nimport java.util.regex.*\nimport java.util.stream.*\n';
    const members = whole.replace(/^(?=.)/gm, '    ');
    return `package app\n\n${stars}${[...lines, ...written].join('')}\nclass App {\n${members}}\n`;
  },
  hunkOf: (code) => withFun(code.replace(KOTLIN_IMPORT, '')).replace(/^(?=.)/gm, '    '),
  before: `                return null
            }
        } catch (e: IOException) {
            log.debug("none", e)
        }
        this.count = 0
    }

`,
  after: `
    fun later(level: Int): Int {
        if (level > 1) {
            other(level,
`,
};
