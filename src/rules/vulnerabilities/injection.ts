import type { Pattern } from '../../model/rules.ts';
import { CALL_TAG, PHP, PYTHON, RUBY } from '../risk/paths.ts';

const raw = String.raw;

/** A string in `quote`s that is SQL and gets a value where one is compared or inserted. */
export function sqlWithValue(quote: string, inner: string): string {
  const text = `[^${quote}]*`;
  const sql = raw`${quote}{1,3}\s*(?:select|insert|update|delete)\b${text}`;
  const before = (inList: string) =>
    raw`${sql}(?:[=<>]|\blike\b|\b(?:in|values)\s*\((?:${inList})*)\s*${inner}?`;
  const end = raw`${text}${quote}{1,3}\s*`;
  const any = before(raw`[^)${quote}]`);
  // %%s is left for the driver to fill; %%%s is a percent sign and a value.
  const percent = raw`${before(raw`[^)%${quote}]|%%`)}(?:%%)*%[sdr]${end}%\s*[\w(]`;
  const braces = raw`${any}%?\{\w*\}${end}\.format\(`;
  return raw`f${any}%?\{|${percent}|${braces}|${any}%?${quote}\s*\+\s*\w`;
}

/**
 * `execute(f"... in ({marks})", ids)`: a line with one statement, whose only place for its
 * parameters is the value in it. Drivers refuse parameters that have no mark.
 */
function marksOfParameters(quote: string): string {
  const text = raw`[^'"{}?%:$@\\]*`;
  const before = raw`${text}\b(?i:in)\s*\(`;
  const rest = raw`\)${text}${quote}`;
  const filled = [
    raw`f${quote}${before}\{\w+\}${rest}`,
    raw`${quote}${before}${quote}\s*\+\s*\w+\s*\+\s*${quote}${rest}`,
    raw`${quote}${before}%s${rest}\s*%\s*\w+`,
    raw`${quote}${before}\{\}${rest}\.format\(\w+\)`,
  ];
  // `None` and empty lists are no parameters.
  const given = raw`[\[(]?\s*\*?[a-z_][^'"]*$`;
  return raw`^[^'"]*\.(?:execute|executemany|raw)\(\s*(?:${filled.join('|')})\s*,\s*${given}`;
}

/** Statements of Python that are filled with marks for parameters. */
export const PYTHON_MARKS = {
  regexTarget: 'line',
  regexes: ['"', "'"].map(marksOfParameters),
} as const;

/** A string in `quote`s with a placeholder that takes more than numbers, and its values. */
function formatted(quote: string): string {
  const text = raw`(?:[^${quote}\\]|\\.)*`;
  return raw`${quote}${text}%[^di${quote}]${text}${quote}\s*%\s*[\w(]`;
}

/** What a caller sends: Flask, Django, FastAPI, aiohttp. */
const REQUEST = raw`(?:self\.|flask\.)?request\.(?:args|form|values|json|data|headers|cookies|GET|POST|body|get_json|query_params|match_info)\b`;

/** The same anywhere around, handlers by their routes included. */
const FROM_OUTSIDE = raw`\b(?:self\.|flask\.)?request\.(?:args|form|values|json|data|headers|cookies|files|GET|POST|FILES|META|body|get_json|get_data|query_params|path_params|query|match_info|rel_url|params)\b|\bself\.(?:get_(?:query_|body_)?arguments?|rfile)\b|@\w+(?:\.\w+)*\.(?:route|get|post|put|patch|delete|websocket)\(|\b(?:Query|Path|Body|Form|Header)\(|\bevent\[["']`;

export const FILLED_COMMAND = raw`(?:f["'][^"']*\{|["'][^"']*["']\s*(?:\+\s*\w|\.format\()|${formatted('"')}|${formatted("'")})`;

/** Input that becomes code, a statement, a path or an object, within one line. */
export const injectionPatterns = [
  {
    id: 'vuln-01-python-shell',
    description: 'User input in a shell command (Python)',
    regex: raw`\bsubprocess\.(?:run|call|Popen|check_call|check_output)\(\s*${FILLED_COMMAND}[^#]*\bshell\s*=\s*True|\bos\.(?:system|popen)\(\s*${FILLED_COMMAND}|\bsubprocess\.(?:run|call|Popen|check_call|check_output)\(\s*${REQUEST}[^#]*\bshell\s*=\s*True|\b(?:os\.(?:system|popen)|subprocess\.get(?:status)?output)\(\s*${REQUEST}`,
    path: PYTHON,
    requires: FROM_OUTSIDE,
    tags: [CALL_TAG],
    keywords: ['subprocess.', 'os.system', 'os.popen'],
    report_as: 'vuln-01',
    severity: 'critical',
    message: 'A caller can run any command on the server if the value is of the request.',
    fix: 'Pass a list of arguments and leave shell=False.',
    cwe: 'CWE-78',
    source: 'https://docs.python.org/3/library/subprocess.html#security-considerations',
    examples: {
      path: 'app/tasks.py',
      match: [
        'name = request.form["name"]\nsubprocess.run(f"tar xf {name}", shell=True)',
        '@app.get("/ping")\ndef ping(host: str):\n    os.system("ping -c 1 " + host)',
        'path = request.GET["path"]\n    os.popen("ls %s" % path)',
        `name = self.get_argument("n")\nos.system('scrapy edit "%s"' % name)`,
        "os.system(request.args.get('c'))",
        'subprocess.Popen(request.GET["c"], shell=True)',
      ],
      noMatch: [
        'subprocess.run(["tar", "xf", name])',
        'subprocess.run("make all", shell=True)',
        'os.system("clear")',
        // risk-python-shell: nothing says that somebody else chooses the value.
        'subprocess.run(f"tar xf {name}", shell=True)',
        "v = open('VERSION').read()\nsubprocess.run(f'docker build -t shop:{v} .', shell=True)",
        "os.system(f'git tag v{sys.argv[1]}')",
        'subprocess.call("lsof -p%d -a -iTCP" % (pid,), shell=True)',
      ],
    },
  },
  {
    id: 'vuln-02-python-eval',
    description: 'User input is run as code (Python)',
    regex: raw`(?:^|[^\w.])(?:eval|exec)\(\s*(?:(?:self\.)?request\.\w|flask\.request\.\w)`,
    path: PYTHON,
    tags: [CALL_TAG],
    keywords: ['eval(', 'exec('],
    report_as: 'vuln-02',
    severity: 'critical',
    message: 'A caller can run any code in the program.',
    fix: 'Parse the value: ast.literal_eval, json.loads, int().',
    cwe: 'CWE-95',
    source: 'https://docs.python.org/3/library/functions.html#eval',
    examples: {
      path: 'app/views.py',
      match: ['result = eval(request.args["q"])', 'exec(flask.request.form["code"])'],
      // The command line and the keyboard are not somebody else's: risk-python-eval.
      noMatch: [
        'exec(input("> "))',
        'eval(sys.argv[1])',
        'result = ast.literal_eval(request.args["q"])',
        'eval("1 + 1")',
        'model.eval()',
      ],
    },
  },
  {
    id: 'vuln-02-php-eval',
    description: 'User input is run as code (PHP)',
    regex: raw`\b(?:eval|assert|create_function)\s*\(\s*(?:\w+\(\s*)?\$_(?:GET|POST|REQUEST|COOKIE|SERVER)\b|\$_(?:GET|POST|REQUEST|COOKIE)\[[^\]\n]+\]\s*\(`,
    path: PHP,
    keywords: ['$_get', '$_post', '$_request', '$_cookie', '$_server'],
    report_as: 'vuln-02',
    severity: 'critical',
    message: 'A caller can run any code in the program.',
    fix: 'Never evaluate input; map it to what is allowed.',
    cwe: 'CWE-95',
    source: 'https://www.php.net/manual/en/function.eval.php',
    examples: {
      path: 'public/index.php',
      match: [`eval($_GET['c']);`, `@eval(base64_decode($_POST["x"]));`, `$_GET['a']($_GET['b']);`],
      noMatch: [`$page = $_GET['page'] ?? 1;`, `eval('return 1;');`, `if ($_GET['a'] === (1))`],
    },
  },
  {
    id: 'vuln-02-ruby-eval',
    description: 'User input is run as code (Ruby)',
    regex: raw`\b(?:eval|instance_eval|class_eval|constantize)\(?\s*params\b|\bparams\[[^\]]*\](?:\.\w+)*\.constantize\b`,
    path: RUBY,
    keywords: ['params'],
    report_as: 'vuln-02',
    severity: 'critical',
    message: 'A caller can run any code in the program, or make objects of any class.',
    fix: 'Map the parameter to what is allowed.',
    cwe: 'CWE-95',
    source: 'https://guides.rubyonrails.org/security.html',
    examples: {
      path: 'app/controllers/a_controller.rb',
      match: ['eval(params[:code])', 'klass = params[:type].camelize.constantize'],
      noMatch: ['id = params[:id]', 'TYPES.fetch(params[:type])'],
    },
  },
  {
    id: 'vuln-03-python-sql',
    // Names of tables are let be.
    description: 'User input in an SQL statement (Python)',
    regex: raw`(?i)\.(?:execute|executemany|executescript|raw)\(\s*(?:${sqlWithValue('"', "'")}|${sqlWithValue("'", '"')})`,
    path: PYTHON,
    requires: FROM_OUTSIDE,
    tags: [CALL_TAG],
    keywords: ['.execute', '.raw('],
    allowlists: [PYTHON_MARKS],
    report_as: 'vuln-03',
    severity: 'critical',
    message: 'A caller can read and change data of the database if the value is of the request.',
    fix: 'Pass values as parameters: execute(sql, (value,)).',
    cwe: 'CWE-89',
    source:
      'https://docs.python.org/3/library/sqlite3.html#how-to-use-placeholders-to-bind-values-in-sql-queries',
    examples: {
      path: 'app/db.py',
      match: [
        `name = request.args["name"]\ncur.execute(f"SELECT * FROM users WHERE name = '{name}'")`,
        '@app.route("/d/<user_id>")\ndef d(user_id):\n    cur.execute("DELETE FROM users WHERE id = %s" % user_id)',
        `cur.execute('select * from t where id = ' + request.GET["id"])`,
        `name = request.POST["n"]\ncur.execute("SELECT * FROM t WHERE name LIKE '%%%s%%'" % name)`,
        `cur.execute("INSERT INTO t VALUES (1, '{}')".format(request.form["name"]))`,
        'ids = request.args["i"]\ncur.execute(f"select * from t where id in ({ids})")',
        'ids = request.args["i"]\ncur.execute(f"select * from t where id in ({ids})", None)',
        'ids = request.args["i"]\ncur.execute(f"select * from t where id in ({ids}) and a = ?", (a,))',
        'n = request.args["n"]\ncur.execute(f"select * from t where a = {n} and id in ({ids})", ids)',
      ],
      noMatch: [
        // Marks of the parameters behind the statement.
        'ids = request.json["i"]\ncur.execute(f"select * from t where id in ({marks})", ids)',
        `ids = request.json["i"]\nreturn db.execute('select * from t where id in (' + marks + ')', ids).fetchall()`,
        'ids = request.json["i"]\ncur.execute("select * from t where id IN (%s)" % marks, (*ids,))',
        'ids = request.json["i"]\ncur.execute("delete from t where id in ({})".format(marks), [*ids])',
        // risk-python-sql-value
        `cur.execute(f"SELECT * FROM users WHERE name = '{name}'")`,
        `cur.execute('select * from t where id = ' + ident)`,
        'cur.execute("DELETE FROM users WHERE id = %s", (user_id,))',
        `cur.execute("SELECT VERSION() LIKE '%MariaDB%'")`,
        'cur.execute(f"DELETE FROM {table}")',
        'cur.execute("INSERT INTO %s (a, b) VALUES (%%s,%%s)" % table, (a, b))',
        'cur.execute("DELETE FROM %s WHERE a=%%s" % table, a)',
        'logger.info("DELETE %s" % x)',
      ],
    },
  },
  {
    id: 'vuln-05-php-include',
    description: 'User input names the file that is included (PHP)',
    regex: raw`\b(?:include|require)(?:_once)?\b[\s(]*(?:["'][^"']*["']\s*\.\s*)?\$_(?:GET|POST|REQUEST|COOKIE)\b`,
    path: PHP,
    keywords: ['include', 'require'],
    report_as: 'vuln-05',
    severity: 'critical',
    message: 'A caller can run any file that the program can read.',
    fix: 'Map the value to the files that are allowed.',
    cwe: 'CWE-98',
    source: 'https://cwe.mitre.org/data/definitions/98.html',
    examples: {
      path: 'public/index.php',
      match: [`include($_GET['page']);`, `require_once "pages/" . $_REQUEST['p'];`],
      noMatch: [`include __DIR__ . '/header.php';`, `$page = $_GET['page'];`],
    },
  },
  {
    id: 'vuln-07-python-deserialise',
    description: 'User input is unpickled, or loaded as YAML with objects (Python)',
    regex: raw`\b(?:c?[Pp]ickle|dill|marshal|jsonpickle|yaml)\.(?:loads?|decode|unsafe_load|full_load)\(\s*(?:base64\.\w+\(\s*)?(?:self\.)?(?:flask\.)?request\.\w`,
    path: PYTHON,
    tags: [CALL_TAG],
    keywords: ['pickle', 'dill', 'marshal', 'yaml.'],
    allowlists: [
      {
        description: 'yaml.load with the safe loader',
        regexTarget: 'line',
        regexes: [raw`Loader\s*=\s*(?:yaml\.)?C?SafeLoader`],
      },
    ],
    report_as: 'vuln-07',
    severity: 'critical',
    message: 'A caller can create any object, and so run code in the program.',
    fix: 'Use json.loads or yaml.safe_load.',
    cwe: 'CWE-502',
    source: 'https://docs.python.org/3/library/pickle.html',
    examples: {
      path: 'app/views.py',
      match: [
        'state = pickle.loads(request.get_data())',
        'pickle.loads(base64.b64decode(request.cookies["s"]))',
        'conf = yaml.load(request.data)',
      ],
      noMatch: [
        'state = json.loads(request.get_data())',
        'conf = yaml.load(request.data, Loader=yaml.SafeLoader)',
        'state = pickle.loads(cache.get("s"))',
      ],
    },
  },
  {
    id: 'vuln-07-php-unserialise',
    description: 'User input is unserialised (PHP)',
    regex: raw`\bunserialize\s*\(\s*(?:\w+\(\s*)?\$_(?:GET|POST|REQUEST|COOKIE)\b`,
    path: PHP,
    keywords: ['unserialize'],
    report_as: 'vuln-07',
    severity: 'critical',
    message: 'A caller can create any object, and so run code in the program.',
    fix: 'Use json_decode.',
    cwe: 'CWE-502',
    source: 'https://www.php.net/manual/en/function.unserialize.php',
    examples: {
      path: 'public/index.php',
      match: [`$cart = unserialize($_COOKIE['cart']);`, `unserialize(base64_decode($_POST['d']))`],
      noMatch: [`unserialize(file_get_contents('cache'))`, `json_decode($_COOKIE['cart'])`],
    },
  },
] satisfies readonly Pattern[];
