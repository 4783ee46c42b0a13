/** A class of weakness that gate 2 finds, for the pages of its ids. */
export interface KindPage {
  /** By id an example that it finds; the certain, critical id comes first where there is one. */
  readonly bad: Readonly<Record<string, string>>;
  /** The same done so that nothing is found. */
  readonly good: string;
  /** Path of the examples; absent: a file of JavaScript. */
  readonly path?: string;
  readonly finds: string;
  readonly why: string;
  readonly fix: string;
  readonly cwe: readonly string[];
}

/** The classes of gate 2. Examples are JavaScript; a test runs them. */
export const KIND_PAGES: readonly KindPage[] = [
  {
    finds:
      'Data from outside becomes a shell command, the name of a program, or one of its options.',
    why: 'An attacker can run any command on the server, with the rights of the service.',
    fix: 'Call the program with an array of arguments and without a shell. Check each argument against a list of allowed values.',
    cwe: ['CWE-78', 'CWE-88'],
    bad: {
      'vuln-01': "app.get('/list', (req, res) => exec('ls ' + req.query.dir, done));",
      'ast-command': "const list = (dir) => exec('ls ' + dir, done);",
    },
    good: "app.get('/list', (req, res) => execFile('ls', ['--', '/srv/files'], done));",
  },
  {
    finds:
      'Data from outside becomes code, a template, or the name of a module that the program loads.',
    why: 'An attacker can run any code inside the program.',
    fix: 'Do not make code from data. Use JSON.parse, a table of functions, or a parser.',
    cwe: ['CWE-94', 'CWE-829', 'CWE-1336'],
    bad: {
      'vuln-02': "app.get('/sum', (req, res) => res.json(eval(req.query.formula)));",
      'ast-code':
        "app.get('/', (req, res) => { if (isAllowedModule(req.query.name)) require(req.query.name); });",
    },
    good: "app.get('/sum', (req, res) => res.json(JSON.parse(req.query.formula)));",
  },
  {
    finds: 'Data from outside becomes a part of an SQL statement.',
    why: 'An attacker can read and change data of the database.',
    fix: 'Write the statement as one fixed text with placeholders, and pass the values beside it.',
    cwe: ['CWE-89', 'CWE-943'],
    bad: {
      'vuln-03':
        'app.get(\'/a\', (req, res) => db.query("SELECT a FROM b WHERE c = \'" + req.query.c + "\'"));',
      'ast-sql': 'export const find = (c) => db.query("SELECT a FROM b WHERE c = \'" + c + "\'");',
    },
    good: "app.get('/a', (req, res) => db.query('SELECT a FROM b WHERE c = ?', [req.query.c]));",
  },
  {
    finds: 'A filter of a document database takes a value that may be an object of the sender.',
    why: 'An attacker can send an operator such as `$ne` for the value, and may pass a login.',
    fix: 'Turn the value into a text or a number first, or check the body against a schema.',
    cwe: ['CWE-943'],
    bad: {
      'ast-nosql':
        "app.post('/login', async (req, res) => res.json(await db.collection('users').findOne({ password: req.body.password })));",
    },
    good: "app.post('/login', async (req, res) => res.json(await db.collection('users').findOne({ password: String(req.body.password) })));",
  },
  {
    finds: 'Data from outside becomes markup or script of a page.',
    why: 'An attacker can run a script in the browser of a user, and act as that user.',
    fix: 'Let the template engine escape the value, or answer with JSON.',
    cwe: ['CWE-79'],
    bad: {
      'vuln-04': "app.get('/hi', (req, res) => res.send('<b>' + req.query.name));",
      'ast-xss': 'export const show = (text) => { page.innerHTML = text; };',
    },
    good: "app.get('/hi', (req, res) => res.json({ name: req.query.name }));",
  },
  {
    finds: 'Data from outside becomes the path of a file.',
    why: 'An attacker can reach files outside of the intended folder, for example by `../`.',
    fix: 'Take only the last part of the name, or look the file up by an id.',
    cwe: ['CWE-22'],
    bad: {
      'vuln-05': "app.get('/file', (req, res) => res.sendFile('/srv/data/' + req.query.name));",
      'ast-path':
        "exports.template = (name, done) => fs.readFile(path.join(__dirname, 'templates', name), 'utf8', done);",
    },
    good: "app.get('/file', (req, res) => res.sendFile('/srv/data/' + path.basename(req.query.name)));",
  },
  {
    finds: 'Data from outside chooses the host or the address of a request that the server sends.',
    why: 'An attacker can reach internal hosts, such as the metadata service of a cloud.',
    fix: 'Choose the host from a list, and refuse private addresses and redirects to others.',
    cwe: ['CWE-918'],
    bad: {
      'vuln-06': "app.get('/get', async (req, res) => res.json(await fetch(req.query.url)));",
      'ast-ssrf':
        "app.get('/get', async (req, res) => { if (isAllowedUrl(req.query.url)) await fetch(req.query.url); });",
    },
    good: "app.get('/get', async (req, res) => res.json(await fetch('https://api.example.com/list')));",
  },
  {
    finds: 'A deserialiser that runs code, or makes objects of any class, reads data from outside.',
    why: 'An attacker can run any code inside the program by the data that it reads.',
    fix: 'Read JSON, and check it against a schema.',
    cwe: ['CWE-502'],
    bad: {
      'vuln-07':
        "const serialize = require('node-serialize'); app.get('/', (req, res) => res.json(serialize.unserialize(req.cookies.profile)));",
      'ast-deserialise': 'const data = yaml.load(req.body.toString());',
    },
    good: "app.get('/', (req, res) => res.json(JSON.parse(req.cookies.profile)));",
  },
  {
    finds: 'Data from outside chooses the key of an object that is written.',
    why: 'An attacker can set properties of all objects of the program (prototype pollution).',
    fix: 'Refuse the keys __proto__, constructor and prototype, or write into a Map.',
    cwe: ['CWE-1321'],
    bad: {
      'vuln-08':
        "app.post('/set', (req, res) => { const { section, key, value } = req.body; settings[section][key] = value; res.sendStatus(204); });",
      'ast-prototype': 'const config = lodash.merge({}, req.body);',
    },
    good: "app.post('/set', (req, res) => { settings.set(req.body.key, req.body.value); res.sendStatus(204); });",
  },
  {
    finds:
      'A connection does not check the certificate of the other side, or cryptography is broken.',
    why: 'An attacker on the network path can read and change what the connection carries.',
    fix: 'Leave the check of certificates on. Use aes-256-gcm for data and a slow hash for passwords.',
    cwe: ['CWE-295', 'CWE-327', 'CWE-916'],
    bad: {
      'vuln-09': "const cipher = crypto.createCipheriv('des-ede3-cbc', key, iv);",
      'ast-crypto': "const hash = createHash('sha1').update(user.password).digest('base64');",
    },
    good: "const cipher = crypto.createCipheriv('aes-256-gcm', key, crypto.randomBytes(12));",
  },
  {
    finds: 'A token is not verified, or its key stands in the code.',
    why: 'An attacker can make a token for any user.',
    fix: 'Verify each token with a key from the environment and a fixed list of algorithms.',
    cwe: ['CWE-347', 'CWE-321'],
    bad: {
      'vuln-10':
        "const token = jwt.sign({ id: user.id }, 'shhh-not-a-secret', { expiresIn: '1h' });",
      'ast-token': 'jwt.verify(token, key, { ignoreExpiration: true });',
    },
    good: "const user = jwt.verify(token, process.env.JWT_KEY, { algorithms: ['HS256'] });",
  },
  {
    finds: 'A key of a cipher or of a signature stands in the code.',
    why: 'Anybody who can read the code can read and forge what the key protects.',
    fix: 'Read the key from the environment or a secret store, and replace the old one.',
    cwe: ['CWE-321'],
    bad: {
      'ast-key':
        "const mac = crypto.createHmac('sha256', 'fixed-key-of-mac').update(body).digest('hex');",
    },
    good: "const mac = crypto.createHmac('sha256', process.env.MAC_KEY).update(body).digest('hex');",
  },
  {
    finds: 'A token, password or id of a session comes from a generator that can be predicted.',
    why: 'An attacker can guess the next value from earlier ones.',
    fix: 'Use crypto.randomBytes or crypto.randomUUID.',
    cwe: ['CWE-338'],
    bad: { 'ast-random': 'const token = Math.random().toString(36).substring(2);' },
    good: "const token = crypto.randomBytes(32).toString('hex');",
  },
  {
    finds: 'Data from outside is the target of a redirect.',
    why: 'An attacker can send users to any site by a link that begins with this one.',
    fix: 'Redirect to paths of this site only, or choose the target from a list.',
    cwe: ['CWE-601'],
    bad: { 'ast-redirect': "app.get('/go', (req, res) => res.redirect(req.query.to));" },
    good: "app.get('/go', (req, res) => res.redirect('/home'));",
  },
  {
    finds: 'Data from outside becomes a regular expression.',
    why: 'An attacker can send an expression that keeps the server busy for minutes.',
    fix: 'Escape the text, or look it up with includes or startsWith.',
    cwe: ['CWE-1333'],
    bad: {
      'ast-regex':
        "app.get('/find', (req, res) => res.json(names.filter((name) => new RegExp(req.query.q).test(name))));",
    },
    good: "app.get('/find', (req, res) => res.json(names.filter((name) => name.includes(req.query.q))));",
  },
  {
    finds:
      'A regular expression tries one way after the other to match: a repetition within a repetition ' +
      '(exponential), or data from outside meets two repetitions of the same characters (polynomial).',
    why: 'An attacker can send a text that keeps the program busy for minutes.',
    fix: 'Write the pattern so that a text matches in one way only, or bound the length of the text first.',
    cwe: ['CWE-1333'],
    bad: { 'ast-backtracking': 'export const isPath = (text) => /^(?:\\w+\\/?)+$/.test(text);' },
    good: 'export const isPath = (text) => /^(?:\\w+\\/)*\\w+$/.test(text);',
  },
  {
    finds: 'Data from outside becomes a part of an LDAP filter or name.',
    why: 'An attacker can change which entries the filter selects, and may pass a login.',
    fix: 'Escape the value by the rules of RFC 4515, or build the filter from objects.',
    cwe: ['CWE-90'],
    bad: {
      'ast-ldap':
        "app.post('/login', (req, res) => client.search('ou=people', { scope: 'sub', filter: '(uid=' + req.body.user + ')' }, done));",
    },
    good: "app.post('/login', (req, res) => client.search('ou=people', { scope: 'sub', filter: '(uid=anna)' }, done));",
  },
  {
    finds: 'A record of the database takes every field of a body.',
    why: 'An attacker can set fields that the form does not show, such as a role.',
    fix: 'Copy the allowed fields one by one.',
    cwe: ['CWE-915'],
    bad: {
      'ast-mass-assignment':
        "app.post('/users', async (req, res) => res.json(await User.create(req.body)));",
    },
    good: "app.post('/users', async (req, res) => res.json(await User.create({ name: String(req.body.name) })));",
  },
  {
    finds: 'Any site may read the answers of this one.',
    why: 'A page that a user visits can read data of this service as that user.',
    fix: 'Name the origins that may read, as a fixed list.',
    cwe: ['CWE-942'],
    bad: {
      'ast-cors':
        "app.use((req, res, next) => { res.setHeader('Access-Control-Allow-Origin', req.headers.origin); next(); });",
    },
    good: "app.use((req, res, next) => { res.setHeader('Access-Control-Allow-Origin', 'https://shop.example.com'); next(); });",
  },
  {
    finds: 'Data from outside becomes a header of an answer or a request.',
    why: 'An attacker can add headers of their own by line ends in the value.',
    fix: 'Refuse line ends, or choose the value from a list.',
    cwe: ['CWE-113'],
    path: 'app.py',
    bad: {
      'ast-header': `from flask import make_response, request
def tag():
    answer = make_response('x')
    answer.headers['X-Tag'] = request.args['tag']
    return answer
`,
    },
    good: `from flask import make_response
def tag():
    answer = make_response('x')
    answer.headers['X-Tag'] = 'new'
    return answer
`,
  },
  {
    finds: 'Data from outside becomes the text of a query, such as Cypher, Cosmos or MongoDB.',
    why: 'An attacker can change what the query reads and writes.',
    fix: 'Write the query as one fixed text with parameters.',
    cwe: ['CWE-943'],
    path: 'App.java',
    bad: {
      'ast-query': `import jakarta.servlet.http.HttpServletRequest;
class App {
  void find(org.neo4j.driver.Session neo, HttpServletRequest request) {
    neo.run("MATCH (n {id: '" + request.getParameter("id") + "'}) RETURN n");
  }
}
`,
    },
    good: `import jakarta.servlet.http.HttpServletRequest;
class App {
  void find(org.neo4j.driver.Session neo, HttpServletRequest request) {
    neo.run("MATCH (n {id: $id}) RETURN n", Map.of("id", request.getParameter("id")));
  }
}
`,
  },
  {
    finds: 'An XML reader resolves external entities.',
    why: 'An attacker can read files of the server and make it send requests by entities.',
    fix: 'Leave the resolution of entities off.',
    cwe: ['CWE-611'],
    bad: {
      'ast-xxe': 'const tree = libxmljs.parseXml(text, { noent: true });',
    },
    good: 'const tree = libxmljs.parseXml(text);',
  },
  {
    finds: 'Data from outside becomes a part of the text of a log entry.',
    why: 'An attacker can write entries that look like the entries of the service.',
    fix: 'Pass the value as a field of the entry.',
    cwe: ['CWE-117'],
    path: 'App.cs',
    bad: {
      'ast-log': `using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Logging;
public class AppController : Controller
{
    [HttpGet]
    public void Find(ILogger<AppController> logger, [FromQuery] string name)
    {
        logger.LogInformation("user " + name);
    }
}
`,
    },
    good: `using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Logging;
public class AppController : Controller
{
    [HttpGet]
    public void Find(ILogger<AppController> logger, [FromQuery] string name)
    {
        logger.LogInformation("user {Name}", name);
    }
}
`,
  },
  {
    finds: 'Data from outside is stored in a session without a check.',
    why: 'Code that reads the session later takes the value for a checked one.',
    fix: 'Check the value before it is stored.',
    cwe: ['CWE-501'],
    path: 'app.py',
    bad: {
      'ast-trust': `from flask import request, session
def choose():
    session['user'] = request.args['user']
`,
    },
    good: `from flask import request, session
def choose():
    session['user'] = int(request.args['user'])
`,
  },
  {
    finds: 'A cookie lacks a protection: it also goes over plain HTTP, or scripts can read it.',
    why: 'An attacker on the network path, or a script in the page, can take over the session.',
    fix: 'Set Secure and HttpOnly.',
    cwe: ['CWE-614', 'CWE-1004'],
    path: 'app.py',
    bad: {
      'ast-cookie': `from flask import make_response
def seen():
    answer = make_response('x')
    answer.set_cookie('session', '1', secure=False)
    return answer
`,
    },
    good: `from flask import make_response
def seen():
    answer = make_response('x')
    answer.set_cookie('session', '1', secure=True, httponly=True)
    return answer
`,
  },
  {
    finds: 'A protection of a framework or of the system is switched off by a fixed value.',
    why: 'What the protection refuses by default is then possible.',
    fix: 'Leave the protection on in production.',
    cwe: ['CWE-693', 'CWE-489', 'CWE-732'],
    path: 'app.py',
    bad: {
      'ast-setting': `from flask import Flask
app = Flask(__name__)
app.run(debug=True)
`,
    },
    good: `from flask import Flask
app = Flask(__name__)
app.run(debug=False)
`,
  },
  {
    finds: 'Data from outside says how much work or memory a call takes.',
    why: 'An attacker can keep the server busy, or use up its memory, with one request.',
    fix: 'Refuse sizes above a fixed limit.',
    cwe: ['CWE-400'],
    bad: { 'ast-limit': "app.get('/', (req, res) => res.send(Buffer.alloc(req.query.size)));" },
    good: "app.get('/', (req, res) => res.send(Buffer.alloc(1024)));",
  },
];

/** What findings that come of no rule mean, and what to do, by their ids. */
export const NOTE_PAGES: Readonly<Record<string, readonly [means: string, act: string]>> = {
  'ast-hunks-only': [
    'Only the changed lines of a file were read, because the whole file was not at hand or exceeds a limit. A flow through other lines may be missed.',
    'Connect the repository, or split the file.',
  ],
  'ast-program-partial': [
    'The change asks for more other files than gate 2 reads. A flow through those files may be missed.',
    'Make the change smaller, or look at the calls between the named files yourself.',
  ],
  'ast-unparsed': [
    'Gate 2 could not read a piece of code, or the code hides the names of what it calls.',
    'Write the code in a form that the compiler of the language accepts, without hidden names. Else a person reads it and overrides.',
  ],
  'baseline-adopted': [
    'The service saw this branch for the first time and took its present state as the start.',
    'Nothing. Later pushes are judged from here on.',
  ],
  'binary-file': [
    'A binary file has no lines that a rule could read.',
    'Leave it out of the repository, or list its path in `binaries.allowed_paths` of the rules.',
  ],
  'commit-rejected': [
    'A person rejected this commit in another RFC.',
    'Push a commit that mends what was rejected.',
  ],
  'config-known': [
    'Resources of a changed file were weak before the change. They block nothing.',
    'Mend them in a change of their own.',
  ],
  'config-unread': [
    'A file of configuration is broken, too large, or written in a form that is not followed.',
    'Mend the file. The message names the line.',
  ],
  'migration-altered': [
    'A migration that may have run already is changed. Databases then differ.',
    'Add a new migration, and leave the old one as it was.',
  ],
  'dependencies-hunks-only': [
    'The diff was posted without a repository, so the packages of a lockfile were compared as far as the diff shows them.',
    'Connect the repository, or run `cra analyze` in it.',
  ],
  'diff-context-unread': [
    'The lines around the change could not be read, so some rules saw less than they ask for.',
    'Post the change again with its context, or connect the repository.',
  ],
  'diff-too-large': [
    'The diff exceeds the limits of the service. Nothing of it passes unread.',
    'Split the change, or let a person review and override it.',
  ],
  'diff-unavailable': [
    'The service could not get the diff of a push from the Git host.',
    'Look at the message and at "Troubleshooting" of the page on webhooks, then push again.',
  ],
  'diff-unreadable': [
    'A part of the diff does not follow the format, so no gate could read it.',
    'Post the unchanged output of `git diff`.',
  ],
  'findings-overflow': [
    'There are more findings than one RFC lists. The others count all the same.',
    'Mend what is listed, and try again.',
  ],
  'gate-pending': ['A gate has not run yet.', 'Wait, and read the RFC again.'],
  'generated-mark-added': [
    'The change marks files as generated, which lowers what is said about them later.',
    'Check that the files are generated indeed.',
  ],
  'history-unscanned': [
    'The push has more commits than are searched for secrets one by one. Its result is searched in full.',
    'Push fewer commits at once, or search the history with a tool of its own.',
  ],
  'llm-held': [
    'No model gave a valid answer to a part of the change, so the change is held.',
    'Look at the state of the model tiers, then analyze again; or let a person decide.',
  ],
  'llm-unlocated': [
    'The answer of a model has entries that name no line of the change.',
    'Nothing. The other entries count.',
  ],
  'llm-unreviewed': [
    'The change is larger than one review by models.',
    'Split the change, or let a person decide.',
  ],
  'lockfile-unread': [
    'A lockfile is too large, or holds a line that no package manager writes. A reader could take such a line in two ways, so its packages were not all compared.',
    'Have the package manager write the lockfile. Else a person reads it and overrides.',
  ],
  'marker-added': [
    'The change adds a comment that suppresses findings. It does not count before a person accepts it.',
    'Mend the finding, or give the reason to a person who may override.',
  ],
  'marker-invalid': [
    'A comment looks like a marker that suppresses findings, and suppresses nothing.',
    'Correct its form or take it out.',
  ],
  'marker-used': ['Markers in the code suppress findings.', 'Check that their reasons still hold.'],
  'no-changes': ['The diff holds no change.', 'Check the range of the diff.'],
  'other-host': [
    'The commit lies on another Git host than the settings name.',
    'Add the host to the settings, or push to the known one.',
  ],
  'outside-diff': [
    'The change brings content that a diff does not show, such as a submodule, a moved file or a large object.',
    'Review that content where it lies. A person overrides when it is harmless.',
  ],
  'plan-incomplete': [
    'A plan of Terraform lacks parts that its reader needs.',
    'Make the plan again with `terraform show -json`.',
  ],
  'plan-read': ['A plan of Terraform was read.', 'Nothing.'],
  'plan-unlisted': [
    'A plan of Terraform has more findings than are listed.',
    'Mend what is listed, and try again.',
  ],
  'report-missing': [
    'The rules require a report of another tool about each such commit, and it did not come in time. So the change may hold what that tool would have found.',
    'Look why the job of the tool did not end. Send its report for this commit, and then the change again.',
  ],
  'registry-unanswered': [
    'The registry that the service asks about new packages did not answer about some of them: it was not reached, answered with an error, or there are too many.',
    'Look whether the registry answers, and send the change again. `SERVICE_REGISTRY_ON_FAILURE` says whether that holds changes up.',
  ],
  'report-unlisted': [
    'The report of another tool has more results on added lines than one report may bring. The worst are listed.',
    'Mend what is listed, and send the next report.',
  ],
  'risk-install-guard-removed': [
    'A setting goes, or is turned off, that kept scripts of packages from running, new versions from being taken at once, or archives without a checksum from being installed.',
    'Keep the setting, and name the packages that need an exception.',
  ],
  'risk-lock-alone': [
    'The lockfile changes, and none of the manifests that it may be written for does. An update of packages that nobody asks for by name looks so, and so does an edit by hand.',
    'Say in the commit why the lockfile is written again. Nothing is blocked by it.',
  ],
  'risk-lock-downgrade': [
    'The lockfile goes back to an older version of a package.',
    'Say in the commit why the older version is needed.',
  ],
  'risk-lock-foreign-source': [
    'A new package comes from git or from an archive of a source host, and no manifest of the change asks for it. No registry keeps such a version.',
    'Use a published version, or name the source in the manifest.',
  ],
  'risk-lock-imitated-name': [
    'The name of a new package differs from that of a well-known package by one letter, by two letters that changed places, or by its signs alone. Attackers publish packages under such names.',
    'Check the name, the owners and the age of the package in the registry. A right name is accepted by a decision.',
  ],
  'risk-lock-imitated-own-name': [
    'The name of a new public package reads like that of a package of this repository, or of its own registry: `acme-core` beside `@acme/core`. An attacker who publishes such a name waits for a mistyped install (dependency confusion).',
    'Ask for the own package by its scope and registry. A right name is accepted by a decision.',
  ],
  'risk-lock-install-script': [
    'A new package, or a new version of a package that had none, runs a script on every machine that installs it. Most attacks on registries work this way.',
    'Read the script. Install with scripts off (`ignore-scripts` of npm), or accept the finding.',
  ],
  'risk-lock-integrity-added': [
    'The lockfile accepts one more checksum for a version that it had before, so one more archive is installed without an error.',
    'Compare the checksum with the one of the registry.',
  ],
  'risk-lock-integrity-changed': [
    'The checksum of a package changed although its version did not. Registries never change a published version.',
    'Look up the checksum in the registry, and install from an empty cache.',
  ],
  'risk-lock-integrity-removed': [
    'A package loses its checksum, or has one of a weaker algorithm. An archive that somebody replaced is then installed without an error.',
    'Have the package manager write the lockfile again.',
  ],
  'risk-lock-known-install-script': [
    'A new package runs a script when it is installed, and is known to do so: it fetches or builds a program. Or a package that had an install script comes in another version, whose script may be another.',
    'Nothing, unless the shop installs with scripts off.',
  ],
  'risk-lock-major': [
    'Packages of the lockfile go to another major version, which may behave otherwise.',
    'Read what the notes of the versions say. Nothing is blocked by it.',
  ],
  'risk-lock-name-mismatch': [
    'The address of a package in the lockfile is that of another package or of another version.',
    'Have the package manager write the lockfile again, and compare.',
  ],
  'risk-lock-scope-source': [
    'A new package of a scope comes from another registry than the packages of this scope so far. The scope may belong to somebody else there (dependency confusion).',
    'Bind the scope to its registry (`@acme:registry=https://npm.acme.example` in `.npmrc`), and install again.',
  ],
  'risk-lock-source-changed': [
    'A package comes from another registry or server than before.',
    'Keep the registry, or have the owner of the dependency confirm the move.',
  ],
  'risk-lock-stale': [
    'A manifest asks for other packages or versions, and the lockfile beside it or at the root stays as it was. An installation then chooses the versions itself, or fails.',
    'Have the package manager write the lockfile, and commit it with the manifest.',
  ],
  'risk-lock-unexplained': [
    'The lockfile has a new package that no manifest of the change and no other package asks for.',
    'Have the package manager write the lockfile again from the manifest.',
  ],
  'risk-registry-absent': [
    'A version in the lockfile is not in the registry of the organization: it comes from elsewhere, or was removed.',
    'Have the package manager write the lockfile again with this registry.',
  ],
  'risk-registry-new-publisher': [
    'The account that published a new version neither published nor maintained the version before. Accounts that are stolen or added for an attack look like this.',
    'Look in the repository of the project whether it names this maintainer. A right one is accepted by a decision.',
  ],
  'risk-registry-published-lately': [
    'A new version was published less than `SERVICE_REGISTRY_HOURS_MIN` ago. Most attacks by a package are noticed within days.',
    'Wait, or have a person look at the version.',
  ],
  'risk-registry-withdrawn': [
    'The owners of a package say that this version should not be used: it is deprecated (npm) or yanked (PyPI).',
    'Take another version.',
  ],
  'risk-pin-moved': [
    'An action has another commit, and the comment behind it says the same version as before. The address of an action also serves commits of its forks.',
    'Look up which commit the tag has in the repository of the action, and name that.',
  ],
  'risk-pin-removed': [
    'An action, a container image or a module of Terraform was named by its digest, commit or version, and is named by a tag or branch now. A tag can be moved to other code.',
    'Name it by the full SHA of a commit, or by the digest of the image.',
  ],
  'risk-plan-deleted': [
    'The plan deletes a resource that may hold data.',
    'Protect the resource by `prevent_destroy`, or let a person confirm the deletion.',
  ],
  'risk-plan-replaced': [
    'The plan replaces a resource: it is deleted and made anew, without its data.',
    'Change the resource in place, or let a person confirm the replacement.',
  ],
  'risk-undecoded': [
    'Encoded text was too long or too deep to be decoded in full, so secrets in it may be missed.',
    'Put large encoded data into a file of its own that is no source.',
  ],
  'risk-unscanned': [
    'A line or a file exceeds a limit of gate 1, so a part of it was not searched.',
    'Split the line or the file.',
  ],
  'rules-empty': [
    'The rules file leaves out a whole list of rules, so nothing of that sort is found.',
    'Put the list back, or go back to the built-in rules.',
  ],
  'rules-weaker': [
    'The rules file allows modes that lower vulnerabilities and private keys.',
    'Take `pipeline.allow_weaker` out unless that is meant.',
  ],
  'scan-crashed': [
    'The analysis ended before it was complete, so the change does not pass.',
    'Analyze again. If it happens again, report the change as the page on security says.',
  ],
};
