import test from 'ava';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import { randomness } from '../../../src/gates/patterns/randomness.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { riskPatternGroups } from '../../../src/rules/risk.ts';
import { findingsOf } from '../../analysis/worker/gates-run.ts';
import { GENERIC_CASES } from './generic-cases.ts';
import { codeCases } from './risk-cases-code.ts';
import { operationCases } from './risk-cases-operations.ts';
import { newFile, scanDiff, scanText } from './scan-text.ts';

const ALPHABETS = {
  mix: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  low: 'abcdefghijklmnopqrstuvwxyz',
  hex: '0123456789abcdef',
  sign: 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!@#%^*+=',
} as const;

/** Puts made-up values for `{mix12}` and the like; the same seed makes the same values. */
function fill(text: string, seed: number): string {
  let state = seed * 7_919 + 17;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const values = text.replace(/\{(mix|low|hex|sign)(\d+)\}/g, (_, kind, length) => {
    const alphabet = ALPHABETS[kind as keyof typeof ALPHABETS];
    const letters = Array.from({ length: Number(length) }, () => alphabet[random(alphabet.length)]);
    return letters.join('');
  });
  const encode = (form: 'base64' | 'base64url') => (_: string, inner: string) =>
    Buffer.from(inner).toString(form);
  return values
    .replace(/\{b64url:(\{[^{}]*\})\}/g, encode('base64url'))
    .replace(/\{b64:([^{}]*)\}/g, encode('base64'));
}

const SEEDS = [1, 2, 3, 4, 5];
const rules = prepareRules(defaultRules);

function isFound(text: string, path: string, seed: number): boolean {
  return scanText(rules, fill(text, seed), path).some(({ id }) => id.startsWith('secret-'));
}

test('the general secret rules find and leave what the labelled cases say', (t) => {
  const sums = { found: 0, missed: 0, wrong: 0, quiet: 0 };
  for (const { about, path, leaks, clean } of GENERIC_CASES) {
    t.true(leaks.length >= 5 && clean.length >= 5, about);
    for (const seed of SEEDS) {
      for (const text of leaks) {
        if (isFound(text, path, seed)) sums.found += 1;
        else {
          sums.missed += 1;
          t.log(`missed (${about}): ${text}`);
        }
      }
      for (const text of clean) {
        if (!isFound(text, path, seed)) sums.quiet += 1;
        else {
          sums.wrong += 1;
          t.log(`wrong (${about}): ${text}`);
        }
      }
    }
  }
  const recall = sums.found / (sums.found + sums.missed);
  const precision = sums.found / (sums.found + sums.wrong);
  t.log(`recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)} on`, sums);
  t.true(recall >= 0.95, `recall ${recall}`);
  t.true(precision >= 0.98, `precision ${precision}`);
});

const WORDS = ['correct-horse-battery', 'getApiKeyFromConfig', 'client_credentials', 'hunter2'];
const RANDOM = ['q8Zr2Lw5Nn7Yt1Vb3Kc6', 'xqmztplkvb', 'f8Jn2kdF', '7c9e01d4b35fa826'];

for (const text of WORDS) {
  test(`randomness is low for the words ${text}`, (t) => {
    t.true(randomness(Buffer.from(text)) < 0.3, `${randomness(Buffer.from(text))}`);
  });
}

for (const text of RANDOM) {
  test(`randomness is high for ${text}`, (t) => {
    t.true(randomness(Buffer.from(text)) > 0.5, `${randomness(Buffer.from(text))}`);
  });
}

test('randomness counts nothing where there are no neighbours to judge', (t) => {
  for (const text of ['', 'a', '1234567890', '....', 'a-b-c', '\u00e4\u00f6\u00fc']) {
    t.is(randomness(Buffer.from(text)), 0, text);
  }
});

test('randomness favours a mixture of letters, digits and signs', (t) => {
  t.true(randomness(Buffer.from('Winter-2024')) < 0.42);
  t.true(randomness(Buffer.from('Winter2024!')) > randomness(Buffer.from('Winter2024')));
});

const KEY = ['b7e2c9fa14d80536', 'be7f93ac61d2e804'].join('');

const idsIn = (text: string, path: string) => scanText(rules, text, path).map(({ id }) => id);

const TOOLS = [
  'docs/.vitepress/config.ts',
  'website/docusaurus.config.js',
  'packages/website/docusaurusConfig.ts',
  'docs/_templates/sidebarlogo.html',
  'mkdocs.yml',
];

for (const path of TOOLS) {
  test(`the key of a documentation search is public in ${path}`, (t) => {
    t.deepEqual(idsIn(`      apiKey: '${KEY}',\n`, path), []);
  });
}

test('the same key is a secret elsewhere, and other keys are in those files', (t) => {
  t.deepEqual(idsIn(`      apiKey: '${KEY}',\n`, 'src/search.ts'), ['secret-assignment']);
  for (const path of TOOLS.filter((path) => !path.endsWith('.yml'))) {
    t.deepEqual(idsIn(`apiSecret: '${KEY}',\n`, path), ['secret-assignment'], path);
    t.deepEqual(idsIn(`apiKey: '${KEY.slice(0, 24)}',\n`, path), ['secret-assignment'], path);
  }
});

const TOKEN = fake('ghp_', 36);

const secrets = (diff: string | Buffer) =>
  scanDiff(rules, diff).filter(({ id }) => id.startsWith('secret-'));

const moved = (from: string, to: string, how = 'rename') =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\n${how} from ${from}\n${how} to ${to}\n`;

const PATHS: [title: string, diff: string | Buffer, shown: string][] = [
  ['of a new file', newFile('a\n', `keys/${TOKEN}.txt`), 'keys/ghp_….txt'],
  ['of a folder', newFile('a\n', `keys/${TOKEN}/a.txt`), 'keys/ghp_…/a.txt'],
  ['of a renamed file', moved('a.txt', `${TOKEN}`), 'ghp_…'],
  ['of a copied file', moved('a.txt', `b/x-${TOKEN}.md`, 'copy'), 'b/x-ghp_….md'],
];

for (const [title, diff, shown] of PATHS) {
  test(`scanRisk finds a token in the name ${title}, and shows none`, (t) => {
    const [finding, ...rest] = secrets(diff);
    t.deepEqual(rest, []);
    t.like(finding, { id: 'secret-github-token', file: shown, line: null, excerpt: null });
    t.regex(finding?.message ?? '', /part of the name/);
  });
}

test('scanRisk finds it in a quoted name', (t) => {
  const name = `k\\303\\274/${TOKEN}`;
  const diff = `diff --git "a/${name}" "b/${name}"\nnew file mode 100644\n`;
  t.is(secrets(diff)[0]?.file, 'k\u00fc/ghp_…');
});

test('scanRisk leaves a name alone that a change takes away or does not bring', (t) => {
  const path = `keys/${TOKEN}.txt`;
  t.deepEqual(secrets(moved(path, 'keys/token.txt')), []);
  t.deepEqual(secrets(`--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`), []);
  t.deepEqual(secrets(`--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`), []);
});

test('runGates shows such a name in no finding, and tells the token once', async (t) => {
  const text = `a = "${TOKEN}"\neval(x)\n`;
  const findings = await findingsOf(newFile(text, `${TOKEN}/a.js`), {
    patterns: [...defaultRules.secret_patterns, ...defaultRules.risk_patterns],
  });
  t.is(findings.filter(({ id }) => id === 'secret-github-token').length, 1);
  t.false(JSON.stringify(findings).includes(TOKEN.slice(6)));
});

const RISK_RULES = prepareRules({ ...defaultRules, secret_patterns: [] });
const CASES = { ...operationCases, ...codeCases };

test('every group of risk rules has labelled cases of its own', (t) => {
  t.deepEqual(Object.keys(CASES).sort(), Object.keys(riskPatternGroups).sort());
});

for (const [group, { found, quiet }] of Object.entries(CASES)) {
  test(`risk rules of ${group}: all true cases are found, no false one is`, (t) => {
    t.true(found.length >= 5 && quiet.length >= 5);
    const missed = found.filter(([id, path, text]) => {
      return !scanText(RISK_RULES, text, path).some((finding) => finding.id === id);
    });
    const alarms = quiet.flatMap(([path, text]) => {
      return scanText(RISK_RULES, text, path).map(({ id }) => `${id}: ${path}: ${text}`);
    });
    t.deepEqual(missed, []);
    t.deepEqual(alarms, []);
  });
}

test('risk rules on the labelled cases: 193 of 193 true ones found, 0 of 147 false ones', (t) => {
  const all = Object.values(CASES);
  t.is(
    all.reduce((sum, { found }) => sum + found.length, 0),
    193,
  );
  t.is(
    all.reduce((sum, { quiet }) => sum + quiet.length, 0),
    147,
  );
});

const VULNERABILITY_RULES = prepareRules({
  ...defaultRules,
  secret_patterns: [],
  risk_patterns: [],
});

const FOUND: [id: string, path: string, text: string][] = [
  ['vuln-01', 'a.php', `<?php passthru("host " . $_GET["h"]);`],
  ['vuln-01', 'app/a.rb', '    `tar xf #{params[:file]}`'],
  ['vuln-01', 'a.go', '\texec.Command("sh", "-c", r.URL.Query().Get("c")).Run()'],
  ['vuln-01', 'A.cs', '    new ProcessStartInfo("sh", $"-c {Request.Headers["x"]}");'],
  ['vuln-01', 'A.kt', '    ProcessBuilder("sh", "-c", call.request.queryParameters["c"]).start()'],
  ['vuln-01', 'A.scala', `    Process(s"ping \${request.getQueryString("h").get}").!!`],
  [
    'vuln-01',
    'a.rs',
    '    Command::new("sh").arg("-c").arg(format!("ping {}", form.host)).status()',
  ],
  ['vuln-02', 'a.py', 'return render_template_string("<p>{}</p>".format(request.args["q"]))'],
  ['vuln-03', 'A.cs', '    c.Query<User>($"SELECT * FROM u WHERE n = \'{Request.Query["n"]}\'");'],
  ['vuln-03', 'A.kt', `    st.executeQuery("select * from t where n='\${call.parameters["n"]}'")`],
  [
    'vuln-03',
    'a.rs',
    '    sqlx::query_as::<_, User>(&format!("SELECT * FROM u WHERE n=\'{}\'", query.n))',
  ],
  ['vuln-05', 'A.scala', '    Source.fromFile("pages/" + request.getQueryString("p").get)'],
  ['vuln-07', 'A.scala', '    new ObjectInputStream(request.getInputStream).readObject()'],
  ['vuln-03', 'a.php', `$db->query("UPDATE t SET n = '$_POST[n]'");`],
  ['vuln-03', 'app/a.rb', '    Post.where("title LIKE \'%#{params[:q]}%\'")'],
  ['vuln-03', 'A.java', '    s.executeUpdate("delete from t where id=" + req.getParameter("id"));'],
  ['vuln-04', 'a.php', `<b><?= $_GET['name']; ?></b>`],
  ['vuln-05', 'a.php', `echo file_get_contents("pages/" . $_GET['p']);`],
  ['vuln-07', 'app/a.rb', '    Marshal.load(cookies[:cart])'],
  ['vuln-09', 'a.ts', '  https: { rejectUnauthorized: false },'],
  ['vuln-09', 'a.go', '\tconf := &tls.Config{InsecureSkipVerify: true}'],
  ['vuln-09', 'A.java', '  .hostnameVerifier((hostname, session) -> true)'],
  ['vuln-09', 'a.rb', '  http.verify_mode = OpenSSL::SSL::VERIFY_NONE'],
  ['vuln-09', 'a.c', '  curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 0);'],
  ['vuln-09', 'a.js', "  crypto.createDecipher('aes-128-cbc', key)"],
  ['vuln-10', 'a.js', `  algorithms: ["RS256", "none"],`],
  ['vuln-10', 'a.go', '\treturn jwt.UnsafeAllowNoneSignatureType, nil'],
  ['vuln-10', 'A.kt', '    JWT.create().sign(Algorithm.none())'],
  ['vuln-10', 'a.rb', '  claims = JWT.decode token, nil, false'],
  ['vuln-10', 'a.py', 'jwt.decode(t, options={"verify_signature": False})'],
];

const QUIET: [path: string, text: string][] = [
  ['a.php', `$page = (int) $_GET['page'];`],
  ['a.php', `echo htmlspecialchars($_POST['q'], ENT_QUOTES);`],
  ['a.php', `$st->execute(['name' => $_POST['name']]);`],
  ['a.php', `// system($_GET) is never called`],
  ['app/a.rb', '    Post.where("title LIKE ?", "%#{params[:q]}%")'],
  ['app/a.rb', '    logger.info("searched #{params[:q]}")'],
  ['a.go', '\texec.Command("git", "show", r.FormValue("ref"))'],
  ['a.go', '\tdb.Query("select * from t where id = $1", c.Param("id"))'],
  ['a.go', '\tconf := &tls.Config{InsecureSkipVerify: opts.Insecure}'],
  ['a.go', '\tif insecure {\n\t\tconf.InsecureSkipVerify = true\n\t}'],
  ['a_test.go', '\tconf := &tls.Config{InsecureSkipVerify: true}'],
  ['A.cs', '    Process.Start("dotnet", "--info");'],
  ['A.cs', '    db.Users.Where(u => u.Name == Request.Query["name"]);'],
  ['A.cs', '    var page = await http.GetStringAsync($"{Base}/items/{id}");'],
  ['A.kt', '    log.info("ping from " + call.request.headers["x"])'],
  ['A.kt', '    users.executeQuery("select * from t where n = ?")'],
  ['A.scala', '    Ok(request.getQueryString("q").get)'],
  ['A.scala', `    sql"select * from t where id = \${request.getQueryString("id").get}".as[Int]`],
  ['a.rs', '    let q = format!("Hello {}", query.name);'],
  ['a.rs', '    Command::new("git").args(["log", "-1"]).output()'],
  ['a.py', 'return render_template_string("<p>{{ q }}</p>", q=request.args.get("q"))'],
  ['a.ts', '  rejectUnauthorized: options.strict,'],
  ['docs/tls.ts', '  rejectUnauthorized: false,'],
  ['A.java', '  .hostnameVerifier((h, s) -> h.equals(expected))'],
  ['a.rb', '  http.verify_mode = insecure ? OpenSSL::SSL::VERIFY_NONE : OpenSSL::SSL::VERIFY_PEER'],
  ['a.c', '  SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);'],
  ['a.js', "  crypto.createCipheriv('aes-256-gcm', key, iv)"],
  ['a.js', `  algorithms: ["RS256"], display: "none",`],
  ['a.py', 'jwt.decode(t, key, algorithms=["ES256"])'],
  ['a.rb', "  claims = JWT.decode(token, key, true, { algorithm: 'RS256' })"],
];

test('vuln-* rules find every labelled case', (t) => {
  const missed = FOUND.filter(([id, path, text]) => {
    return !scanText(VULNERABILITY_RULES, text, path).some((finding) => finding.id === id);
  });
  t.deepEqual(missed, []);
});

test('vuln-* rules are silent on every look-alike', (t) => {
  const alarms = QUIET.filter(
    ([path, text]) => scanText(VULNERABILITY_RULES, text, path).length > 0,
  );
  t.deepEqual(alarms, []);
});
