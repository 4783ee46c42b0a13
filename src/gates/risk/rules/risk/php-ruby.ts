import type { Pattern } from '../../../../domain/rules.ts';
import { PHP, REHEARSAL, RUBY } from './paths.ts';

const raw = String.raw;

const TESTS = { description: 'tests, examples', paths: [REHEARSAL] };
const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*)`],
} as const;

/** PHP and Ruby that is dangerous unless what goes in is known. */
export const phpRubyPatterns = [
  {
    id: 'risk-php-shell',
    description: 'A command line of which not all is written down is run (PHP)',
    regex: raw`(?:^|[^\w>:$])(?:system|passthru|shell_exec|popen|proc_open|exec|pcntl_exec)\s*\(\s*(?:\$\w+|["'][^"'\n]*(?:\{?\$\w|["']\s*\.\s*\$\w))`,
    path: PHP,
    keywords: ['system(', 'passthru', 'shell_exec', 'popen(', 'proc_open', 'exec('],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'escaped',
        regexTarget: 'line',
        regexes: [raw`\bescapeshell(?:arg|cmd)\(|\bfunction\s+(?:exec|system)`],
      },
    ],
    severity: 'medium',
    message: 'Whoever chooses a part of this text can run commands.',
    fix: 'proc_open with an array, or escapeshellarg for each argument.',
    cwe: 'CWE-78',
    source: 'https://www.php.net/manual/en/function.escapeshellarg.php',
    examples: {
      path: 'src/Run.php',
      match: ['    system("ping " . $host);', '    $out = shell_exec($cmd);'],
      noMatch: [
        "    system('ls');",
        '    exec("tar xf " . escapeshellarg($name));',
        '    $db->exec($sql);',
        '    curl_exec($ch);',
      ],
    },
  },
  {
    id: 'risk-php-eval',
    description: 'Text is run as code, or names what is run (PHP)',
    regex: raw`(?:^|[^\w>:$])(?:eval\s*\(\s*[^)'"\s]|create_function\s*\(|assert\s*\(\s*["'$]|extract\s*\(\s*\$_(?:GET|POST|REQUEST))|\bpreg_replace\s*\(\s*["']/[^"'\n]*/\w*e\w*["']|\$\$_(?:GET|POST|REQUEST)|\$_(?:GET|POST|REQUEST|COOKIE)\[[^\]]+\]\s*\(`,
    path: PHP,
    keywords: [
      'eval',
      'create_function',
      'assert',
      'extract',
      'preg_replace',
      '$_get',
      '$_post',
      '$_request',
      '$_cookie',
    ],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'assertions on values',
        regexTarget: 'match',
        regexes: [raw`\bassert\s*\(\s*\$`],
      },
    ],
    severity: 'medium',
    message: 'Whoever chooses this text runs code.',
    fix: 'A table of functions.',
    cwe: 'CWE-95',
    source: 'https://www.php.net/manual/en/function.eval.php',
    examples: {
      path: 'src/Calc.php',
      match: ['    eval($code);', "    $_GET['f']($_GET['x']);", '    extract($_POST);'],
      noMatch: [
        "    eval('return 1;');",
        '    assert($x instanceof Y);',
        '    $this->evaluate($x);',
      ],
    },
  },
  {
    id: 'risk-php-unserialize',
    description: 'Objects are made from text (PHP)',
    regex: raw`(?:^|[^\w>:])unserialize\s*\(\s*\$`,
    path: PHP,
    keywords: ['unserialize'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'without objects',
        regexTarget: 'line',
        regexes: [raw`allowed_classes`, raw`\bfunction\s+\w*unserialize`],
      },
    ],
    severity: 'low',
    message: 'Whoever can write what is read here may run code.',
    fix: `json_decode, or ['allowed_classes' => false].`,
    cwe: 'CWE-502',
    source: 'https://www.php.net/manual/en/function.unserialize.php',
    examples: {
      path: 'src/Cache.php',
      match: ['    return unserialize($blob);', '    $x = @unserialize($row["data"]);'],
      noMatch: [
        "    return unserialize($blob, ['allowed_classes' => false]);",
        '    return json_decode($blob);',
      ],
    },
  },
  {
    id: 'risk-php-sql',
    description: 'A SQL statement is put together as text (PHP)',
    regex: raw`(?i)(?:->(?:query|exec|prepare|whereRaw|selectRaw|statement)|\bDB::(?:select|statement|raw|unprepared)|\b(?:mysqli|pg)_query)\s*\(\s*(?:\$\w+\s*,\s*)?"[^"\n]*\b(?:select|insert|update|delete|where|from)\b[^"\n]*(?:\{?\$[a-z]|"\s*\.\s*\$[a-z])`,
    path: PHP,
    keywords: [
      '->query',
      '->exec',
      '->prepare',
      'whereraw',
      'selectraw',
      '->statement',
      'db::',
      'mysqli_query',
      'pg_query',
    ],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'names that the program chose',
        regexTarget: 'match',
        regexes: [raw`\{?\$(?:this->|wpdb->|table|prefix)[^"]*$`],
      },
    ],
    severity: 'medium',
    message: 'If a part of this text comes from outside, so does the statement.',
    fix: 'prepare() with placeholders.',
    cwe: 'CWE-89',
    source: 'https://www.php.net/manual/en/security.database.sql-injection.php',
    examples: {
      path: 'src/Dao.php',
      match: [
        `    $pdo->query("SELECT * FROM users WHERE name = '$name'");`,
        `    mysqli_query($c, "DELETE FROM t WHERE id = " . $id);`,
      ],
      noMatch: [
        `    $pdo->prepare("SELECT * FROM users WHERE name = ?");`,
        `    $pdo->query('SELECT 1');`,
      ],
    },
  },
  {
    id: 'risk-ruby-shell',
    description: 'A command line with a value in it goes to a shell (Ruby)',
    regex: raw`(?:^|[^\w.])(?:system|exec|spawn|popen|IO\.popen|Open3\.\w+)[\s(]+"[^"\n]*#\{|\x60[^\x60\n]*#\{[^\x60\n]*\x60|%x[\[({][^\n]*#\{|(?:^|[^\w.])open\(\s*"\|`,
    path: RUBY,
    keywords: ['#{', 'open("|'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'escaped, or text of a message',
        regexTarget: 'line',
        regexes: [
          raw`\bshellescape\b|Shellwords`,
          raw`\b(?:puts|raise|logger|desc|message|warn|say|abort|error)\b.*\x60`,
          raw`"[^"]*\x60[^"]*"`,
        ],
      },
    ],
    severity: 'medium',
    message: 'Whoever chooses the value can run commands.',
    fix: 'system with the program and its arguments.',
    cwe: 'CWE-78',
    source: 'https://docs.ruby-lang.org/en/3.4/command_injection_rdoc.html',
    examples: {
      path: 'lib/run.rb',
      match: ['  system("tar xf #{name}")', '  out = `git log #{ref}`'],
      noMatch: ['  system("tar", "xf", name)', '  puts "run #{name}"', '  out = `git log`'],
    },
  },
  {
    id: 'risk-ruby-dynamic',
    description:
      'Text is run as code or becomes an object, or a method of any name is called (Ruby)',
    regex: raw`(?:^|[^\w.])eval[\s(]+[a-z_@]|\b(?:instance_eval|class_eval|module_eval)\(\s*[a-z_@"]\w*\s*[,)]|\bMarshal\.(?:load|restore)\b|\bYAML\.(?:unsafe_load|load)(?:_file)?\b|\.(?:public_)?send\(\s*params\b|\bPsych\.unsafe_load\b|\bOj\.(?:object_load|load)\([^)\n]*mode:\s*:object`,
    path: RUBY,
    keywords: [
      'eval',
      'marshal.',
      'yaml.',
      'send(params',
      'send( params',
      'psych.unsafe_load',
      'oj.',
    ],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'with a list of classes',
        regexTarget: 'line',
        regexes: [raw`permitted_classes`],
      },
    ],
    severity: 'low',
    message: 'Whoever chooses what goes in here may run code.',
    fix: 'JSON.parse, YAML.safe_load, a table of methods.',
    cwe: 'CWE-502',
    source: 'https://docs.ruby-lang.org/en/3.4/security_rdoc.html',
    examples: {
      path: 'lib/cache.rb',
      match: ['  eval(code)', '  Marshal.load(blob)', '  record.send(params[:field])'],
      noMatch: ['  JSON.parse(blob)', '  record.send(:name)', '  class_eval do'],
    },
  },
  {
    id: 'risk-ruby-sql',
    description: 'A SQL statement with a value written into it (Rails)',
    regex: raw`\.(?:where|having|find_by_sql|order|joins|select|group|pluck|exists\?|delete_all|update_all|execute|exec_query|count_by_sql)[\s(]+"[^"\n]*#\{`,
    path: RUBY,
    keywords: ['#{'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'quoted, or names of tables',
        regexTarget: 'match',
        regexes: [raw`#\{(?:\w+\.)?(?:quoted_|table_name|connection\.quote|quote_|sanitize)`],
      },
    ],
    severity: 'medium',
    message: 'If the value comes from outside, so does the statement.',
    fix: 'where(name: value), or "name = ?".',
    cwe: 'CWE-89',
    source: 'https://guides.rubyonrails.org/security.html#sql-injection',
    examples: {
      path: 'app/models/user.rb',
      match: [
        `    where("name = '#{name}'")`.replace('where', 'User.where'),
        '    User.order("#{column} desc")',
      ],
      noMatch: ['    User.where("name = ?", name)', '    logger.info("name #{name}")'],
    },
  },
  {
    id: 'risk-ruby-unescaped',
    description: 'A value is put into a page as it is (Rails)',
    regex: raw`(?:^|[\s=(])raw[\s(]+(?:params|@\w|[a-z_]\w*\.)|\b(?:params\[[^\]]*\]|@\w+(?:\.\w+)*)\.html_safe\b|<%==\s|\bmass_assignment|\.permit!`,
    path: raw`(?i)\.(?:rb|erb|haml|slim)$`,
    keywords: ['raw', '.html_safe', '<%==', '.permit!'],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'What users write becomes HTML, or any attribute of the record.',
    fix: 'sanitize, or nothing at all; permit with a list of names.',
    cwe: 'CWE-79',
    source: 'https://guides.rubyonrails.org/security.html#cross-site-scripting-xss',
    examples: {
      path: 'app/views/a.html.erb',
      match: ['<%= raw @post.body %>', '<%== @post.body %>', '  params.permit!'],
      noMatch: ['<%= @post.body %>', '  params.permit(:name)'],
    },
  },
] satisfies readonly Pattern[];
