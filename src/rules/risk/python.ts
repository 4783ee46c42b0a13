import type { Pattern } from '../../model/rules.ts';
import { FILLED_COMMAND, PYTHON_MARKS, sqlWithValue } from '../vulnerabilities/injection.ts';
import { TESTS } from './allowlists.ts';
import { BUILDS, CALL_TAG, PYTHON } from './paths.ts';

const raw = String.raw;

const COMMENTS = { description: 'comments', regexTarget: 'line', regexes: [raw`^\s*#`] } as const;

/** A command of which not all is written down, as it reaches a shell. */
const SHELL_COMMAND = raw`\bsubprocess\.(?:run|call|Popen|check_call|check_output|getoutput)\(\s*(?:[A-Za-z_][\w.]*(?:\([^()]*\))?\s*,|f["'][^"']*\{[^"']*["']\s*,|${FILLED_COMMAND})[^#\n]*\bshell\s*=\s*True\b|\bos\.(?:system|popen)\(\s*(?:[A-Za-z_][\w.]*\s*\)|${FILLED_COMMAND})|\bcommands\.getoutput\(|\basyncio\.create_subprocess_shell\(\s*(?:f["'][^"']*\{|[A-Za-z_])`;
const SHELL_WORDS = [
  ...['subprocess.', 'os.system', 'os.popen', 'commands.getoutput'],
  'create_subprocess_shell',
];
const BUILD_FILES = { description: 'builds and scripts', paths: [`(?i)${BUILDS}`] };

/** Python that is dangerous unless what goes in is known; vuln-* has what a line proves. */
export const pythonPatterns = [
  {
    id: 'risk-python-shell',
    description: 'Dynamic shell command (Python)',
    regex: SHELL_COMMAND,
    path: PYTHON,
    keywords: SHELL_WORDS,
    allowlists: [TESTS, COMMENTS, BUILD_FILES],
    tags: [CALL_TAG],
    severity: 'medium',
    message: 'Anybody who chooses a part of this text can run commands.',
    fix: 'Pass a list of arguments and leave shell=False.',
    cwe: 'CWE-78',
    source: 'https://docs.python.org/3/library/subprocess.html#security-considerations',
    examples: {
      path: 'app/tasks.py',
      match: [
        'subprocess.run(cmd, shell=True)',
        'os.system(command)',
        'os.system("ping -c 1 " + host)',
        'os.popen("ls %s" % path)',
        "os.system(f'git tag v{sys.argv[1]}')",
        'subprocess.check_output(self.cmd, cwd=d, shell=True)',
      ],
      noMatch: [
        'subprocess.run(["tar", "xf", name])',
        'subprocess.run("make all", shell=True)',
        'os.system("clear")',
      ],
    },
  },
  {
    id: 'risk-python-build-shell',
    description: 'Dynamic shell command in a build or script (Python)',
    regex: SHELL_COMMAND,
    path: raw`(?i)${BUILDS}`,
    keywords: SHELL_WORDS,
    allowlists: [TESTS, COMMENTS],
    tags: [CALL_TAG],
    severity: 'low',
    message: 'Anybody who chooses a part of this text can run commands, where the build runs.',
    fix: 'Pass a list of arguments and leave shell=False.',
    cwe: 'CWE-78',
    source: 'https://docs.python.org/3/library/subprocess.html#security-considerations',
    examples: {
      path: 'scripts/release.py',
      match: [
        "subprocess.run(f'docker build -t shop:{v} .', shell=True)",
        "os.system(f'git tag v{sys.argv[1]}')",
      ],
      noMatch: ['subprocess.run(["git", "tag", v])', 'os.system("make all")'],
    },
  },
  {
    id: 'risk-python-eval',
    description: 'Dynamic code execution (Python)',
    regex: raw`(?:^|[^\w.])(?:eval|exec)\(\s*(?:input\(|[A-Za-z_][\w.]*(?:\[[^\]]*\])?\s*[,)]|f["'][^"']*\{|[A-Za-z_][\w.]*\.(?:read|get|decode|strip|format)\()`,
    path: PYTHON,
    keywords: ['eval(', 'exec('],
    allowlists: [
      TESTS,
      COMMENTS,
      { description: 'settings files that are Python', paths: [raw`(?:^|/)setup\.py$`] },
    ],
    tags: [CALL_TAG],
    severity: 'medium',
    message: 'Anybody who chooses this text runs code.',
    fix: 'ast.literal_eval, json.loads, or a table of functions.',
    cwe: 'CWE-95',
    source: 'https://docs.python.org/3/library/functions.html#eval',
    examples: {
      path: 'app/calc.py',
      match: [
        ...['result = eval(expression)', 'exec(f"import {name}")', '    exec(code, scope)'],
        ...['exec(input("> "))', 'eval(sys.argv[1])'],
      ],
      noMatch: [
        'result = ast.literal_eval(expression)',
        'eval("1 + 1")',
        'model.eval()',
        'cursor.exec(x)',
      ],
    },
  },
  {
    id: 'risk-python-deserialise',
    description: 'Unsafe deserialization (Python)',
    regex: raw`\b(?:pickle|cPickle|dill|cloudpickle|jsonpickle|shelve|marshal)\.(?:loads?|decode|open|Unpickler)\(|\byaml\.(?:unsafe_load|full_load|load)\(|\bjoblib\.load\(|\btorch\.load\([^)\n]*weights_only\s*=\s*False|\bnumpy\.load\([^)\n]*allow_pickle\s*=\s*True|\bnp\.load\([^)\n]*allow_pickle\s*=\s*True`,
    path: PYTHON,
    keywords: [
      'pickle.',
      'dill.',
      'shelve.',
      'marshal.',
      'yaml.',
      'joblib.load',
      'torch.load',
      'allow_pickle',
    ],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'yaml.load with a safe loader',
        regexTarget: 'line',
        regexes: [raw`\b(?:C?SafeLoader|BaseLoader)\b`],
      },
    ],
    severity: 'low',
    message: 'Anybody who can write what is loaded here runs code.',
    fix: 'json, yaml.safe_load, safetensors.',
    cwe: 'CWE-502',
    source: 'https://docs.python.org/3/library/pickle.html',
    examples: {
      path: 'app/cache.py',
      match: [
        'state = pickle.loads(blob)',
        'conf = yaml.load(stream)',
        'np.load(path, allow_pickle=True)',
      ],
      noMatch: [
        'conf = yaml.safe_load(stream)',
        'conf = yaml.load(stream, Loader=yaml.SafeLoader)',
        'pickle.dumps(x)',
      ],
    },
  },
  {
    id: 'risk-python-tls',
    description: 'TLS certificate verification may be off (Python)',
    regex: raw`\bverify_mode\s*=\s*ssl\.CERT_NONE\b|\bcheck_hostname\s*=\s*False\b|\bcert_reqs\s*=\s*["']?(?:ssl\.)?CERT_NONE\b|\bTCPConnector\([^)\n]*(?:ssl|verify_ssl)\s*=\s*False|\.verify\s*=\s*False\b|\bset_missing_host_key_policy\(\s*(?:paramiko\.)?(?:AutoAddPolicy|WarningPolicy)`,
    path: PYTHON,
    keywords: [
      'cert_none',
      'check_hostname',
      'tcpconnector',
      '.verify',
      'set_missing_host_key_policy',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'An attacker on the network path can answer in the name of the server.',
    fix: 'Load the issuing CA: ssl.create_default_context(cafile=...).',
    cwe: 'CWE-295',
    source: 'https://docs.python.org/3/library/ssl.html#ssl-security',
    examples: {
      path: 'app/client.py',
      match: [
        'ctx.verify_mode = ssl.CERT_NONE',
        'ctx.check_hostname = False',
        'session.verify = False',
      ],
      noMatch: [
        'ctx.verify_mode = ssl.CERT_REQUIRED',
        'ctx.check_hostname = True',
        'session.verify = ca',
      ],
    },
  },
  {
    id: 'risk-python-sql',
    description: 'SQL built by string concatenation (Python)',
    regex: raw`(?i)\.(?:execute|executemany|raw|text)\(\s*(?:f(?:"{1,3}|'{1,3})\s*(?:select|insert|update|delete)\b[^\n]*\{|["'][^"'\n]*\b(?:select|insert|update|delete)\b[^\n]*["']\s*(?:%\s*[(\w]|\+\s*\w|\.format\())`,
    path: PYTHON,
    keywords: ['.execute', '.raw(', '.text('],
    allowlists: [TESTS, COMMENTS],
    tags: [CALL_TAG],
    severity: 'low',
    message: 'If a part of this text comes from outside, so does the statement.',
    fix: 'Pass values as parameters, and take names from a list.',
    cwe: 'CWE-89',
    source:
      'https://docs.python.org/3/library/sqlite3.html#how-to-use-placeholders-to-bind-values-in-sql-queries',
    examples: {
      path: 'app/db.py',
      match: [
        'cur.execute(f"DELETE FROM {table}")',
        'cur.execute("SELECT * FROM t ORDER BY " + column)',
      ],
      noMatch: ['cur.execute("DELETE FROM users WHERE id = %s", (user_id,))', 'cur.execute(query)'],
    },
  },
  {
    id: 'risk-python-sql-value',
    description: 'SQL with interpolated values (Python)',
    regex: raw`(?i)\.(?:execute|executemany|executescript|raw)\(\s*(?:${sqlWithValue('"', "'")}|${sqlWithValue("'", '"')})`,
    path: PYTHON,
    keywords: ['.execute', '.raw('],
    allowlists: [TESTS, COMMENTS, BUILD_FILES, PYTHON_MARKS],
    tags: [CALL_TAG],
    severity: 'medium',
    message:
      'A value becomes part of a SQL statement: anybody who chooses it changes the statement.',
    fix: 'Pass values as parameters: execute(sql, (value,)).',
    cwe: 'CWE-89',
    source:
      'https://docs.python.org/3/library/sqlite3.html#how-to-use-placeholders-to-bind-values-in-sql-queries',
    examples: {
      path: 'app/db.py',
      match: [
        `cur.execute(f"SELECT * FROM users WHERE name = '{name}'")`,
        'cur.execute("DELETE FROM users WHERE id = %s" % user_id)',
        `cur.execute('select * from t where id = ' + ident)`,
        `cur.execute("SELECT * FROM t WHERE name LIKE '%%%s%%'" % name)`,
        `cur.execute("INSERT INTO t VALUES (1, '{}')".format(name))`,
      ],
      noMatch: [
        'cur.execute("DELETE FROM users WHERE id = %s", (user_id,))',
        'cur.execute(f"DELETE FROM {table}")',
        'cur.execute("INSERT INTO %s (a, b) VALUES (%%s,%%s)" % table, (a, b))',
      ],
    },
  },
  {
    id: 'risk-python-template',
    description: 'Template from a string, or without autoescape (Python)',
    regex: raw`\brender_template_string\(\s*(?:f["']|[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?\s*[,)]|["'][^"'\n]*["']\s*(?:%|\+|\.format))|\bautoescape\s*=\s*False\b|\bjinja2\.Template\(\s*(?:f["']|request\b)|\bmark_safe\(\s*(?:f["']|[A-Za-z_][\w.]*\s*\))|\bMarkup\(\s*f["']`,
    path: PYTHON,
    keywords: ['render_template_string', 'autoescape', 'jinja2.template', 'mark_safe', 'markup('],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'What users write becomes HTML, or code of the template.',
    fix: 'Templates in files, values as arguments.',
    cwe: 'CWE-1336',
    source: 'https://flask.palletsprojects.com/en/stable/web-security/#cross-site-scripting-xss',
    examples: {
      path: 'app/views.py',
      match: [
        'return render_template_string(page)',
        'env = Environment(autoescape=False)',
        'return mark_safe(f"<b>{name}</b>")',
      ],
      noMatch: [
        'return render_template("a.html", name=name)',
        'env = Environment(autoescape=True)',
      ],
    },
  },
  {
    id: 'risk-python-archive',
    description: 'Archive extraction without path checks (Python)',
    regex: raw`\b(?:tar|tf|tar_?file|archive|t)\.extractall\([^)\n]*\)|\bshutil\.unpack_archive\([^)\n]*\)|\btempfile\.mktemp\(`,
    path: PYTHON,
    keywords: ['.extractall(', 'unpack_archive(', 'tempfile.mktemp'],
    allowlists: [
      TESTS,
      COMMENTS,
      { description: 'with a filter', regexTarget: 'line', regexes: [raw`\bfilter\s*=`] },
    ],
    severity: 'low',
    message: 'A name such as ../../etc/cron.d/x in it becomes a file there.',
    fix: `extractall(path, filter='data'); NamedTemporaryFile instead of mktemp.`,
    cwe: 'CWE-22',
    source: 'https://docs.python.org/3/library/tarfile.html#tarfile-extraction-filter',
    examples: {
      path: 'app/upload.py',
      match: ['tar.extractall(path)', 'shutil.unpack_archive(name, target)'],
      noMatch: ["tar.extractall(path, filter='data')", 'results.extract_all()'],
    },
  },
] satisfies readonly Pattern[];
