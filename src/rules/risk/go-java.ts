import type { Pattern } from '../../model/rules.ts';
import { CALL_TAG, GO, JVM, REHEARSAL } from './paths.ts';

const raw = String.raw;

const QUIET = { description: 'tests, examples', paths: [REHEARSAL, raw`_test\.go$`] };
const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?://|\*)`],
} as const;

/** Go and Java (and what else runs on the JVM) that is dangerous unless what goes in is known. */
export const goJavaPatterns = [
  {
    id: 'risk-go-shell',
    description: 'Dynamic shell command (Go)',
    regex: raw`\bexec\.Command(?:Context)?\(\s*(?:\w+\s*,\s*)?"(?:/bin/)?(?:ba|z)?sh"\s*,\s*"-\w*c"\s*,\s*(?:fmt\.Sprintf\(|[A-Za-z_][\w.]*\s*[,)+]|"[^"\n]*"\s*\+)`,
    path: GO,
    keywords: ['exec.command'],
    allowlists: [QUIET, COMMENTS],
    tags: [CALL_TAG],
    severity: 'medium',
    message: 'Anybody who chooses a part of this text can run commands.',
    fix: 'exec.Command with the program and its arguments.',
    cwe: 'CWE-78',
    source: 'https://pkg.go.dev/os/exec',
    examples: {
      path: 'pkg/run.go',
      match: [
        '\tcmd := exec.Command("sh", "-c", fmt.Sprintf("tar xf %s", name))',
        '\texec.CommandContext(ctx, "/bin/bash", "-c", script)',
      ],
      noMatch: [
        '\tcmd := exec.Command("tar", "xf", name)',
        '\texec.Command("sh", "-c", "make all")',
      ],
    },
  },
  {
    id: 'risk-go-sql',
    description: 'SQL built by string concatenation (Go)',
    regex: raw`(?i)\.(?:Query|QueryRow|Exec|Raw|Prepare)(?:Context)?\(\s*(?:\w+\s*,\s*)?(?:fmt\.Sprintf\(\s*["\x60][^"\x60]*\b(?:select|insert|update|delete)\b[^"\x60]*%[svq]|["\x60][^"\x60\n]*\b(?:select|insert|update|delete)\b[^"\x60\n]*["\x60]\s*\+\s*\w)`,
    path: GO,
    keywords: ['.query', '.exec', '.raw(', '.prepare'],
    allowlists: [QUIET, COMMENTS],
    tags: [CALL_TAG],
    severity: 'medium',
    message: 'If a part of this text comes from outside, so does the statement.',
    fix: 'Placeholders, and names from a list.',
    cwe: 'CWE-89',
    source: 'https://go.dev/doc/database/sql-injection',
    examples: {
      path: 'pkg/store.go',
      match: [
        '\trows, err := db.Query(fmt.Sprintf("SELECT * FROM users WHERE name = \'%s\'", name))',
        '\tdb.Exec("DELETE FROM t WHERE id = " + id)',
      ],
      noMatch: [
        '\trows, err := db.Query("SELECT * FROM users WHERE name = $1", name)',
        '\tdb.Exec(query, id)',
      ],
    },
  },
  {
    id: 'risk-go-unchecked',
    description: 'TLS or SSH host verification is skipped (Go)',
    regex: raw`\bssh\.InsecureIgnoreHostKey\(\)|\.InsecureSkipVerify\s*=\s*true\b|\bParseUnverified\(|\bMinVersion:\s*tls\.VersionTLS1[01]\b|\bMinVersion:\s*tls\.VersionSSL30\b|\bgrpc\.WithInsecure\(\)`,
    path: GO,
    keywords: [
      'insecureignorehostkey',
      'insecureskipverify',
      'parseunverified',
      'versiontls1',
      'versionssl30',
      'grpc.withinsecure',
    ],
    allowlists: [QUIET, COMMENTS],
    severity: 'medium',
    message: 'An attacker on the network path can answer in the name of the server.',
    fix: 'Known hosts, RootCAs, and the parser that verifies.',
    cwe: 'CWE-295',
    source: 'https://pkg.go.dev/golang.org/x/crypto/ssh#InsecureIgnoreHostKey',
    examples: {
      path: 'pkg/client.go',
      match: [
        '\t\tHostKeyCallback: ssh.InsecureIgnoreHostKey(),',
        '\t\tcfg.InsecureSkipVerify = true',
        '\tclaims, _, err := parser.ParseUnverified(token, c)',
      ],
      noMatch: ['\t\tHostKeyCallback: ssh.FixedHostKey(key),', '\t\tMinVersion: tls.VersionTLS12,'],
    },
  },
  {
    id: 'risk-go-unescaped',
    description: 'Value is marked as safe HTML, JavaScript or URL (Go)',
    regex: raw`\btemplate\.(?:HTML|JS|URL|HTMLAttr|CSS)\(\s*(?:[A-Za-z_][\w.]*(?:\(|\s*[)+])|fmt\.Sprintf\()`,
    path: GO,
    keywords: [
      'template.html(',
      'template.js(',
      'template.url(',
      'template.htmlattr(',
      'template.css(',
    ],
    allowlists: [QUIET, COMMENTS],
    severity: 'low',
    message: 'html/template no longer escapes it.',
    fix: 'Pass the value as it is, and let the template escape it.',
    cwe: 'CWE-79',
    source: 'https://pkg.go.dev/html/template#HTML',
    examples: {
      path: 'pkg/page.go',
      match: ['\treturn template.HTML(body)', '\tu := template.URL(fmt.Sprintf("data:%s", x))'],
      noMatch: ['\treturn template.HTML("<br>")', '\ttmpl := template.Must(template.New("a"))'],
    },
  },
  {
    id: 'risk-java-shell',
    description: 'Dynamic command (Java)',
    regex: raw`\bgetRuntime\(\)\s*\.exec\(\s*(?:"[^"\n]*"\s*\+|[A-Za-z_][\w.]*\s*[,)]|String\.format\()|\bnew\s+ProcessBuilder\(\s*"(?:/bin/)?(?:ba)?sh"\s*,\s*"-c"\s*,\s*[A-Za-z_"][^,)]*(?:\+|[A-Za-z_]\w*\s*\))`,
    path: JVM,
    keywords: ['getruntime()', 'processbuilder'],
    allowlists: [QUIET, COMMENTS],
    tags: [CALL_TAG],
    severity: 'medium',
    message: 'Anybody who chooses a part of this text can run commands.',
    fix: 'ProcessBuilder with the program and its arguments.',
    cwe: 'CWE-78',
    source:
      'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/ProcessBuilder.html',
    examples: {
      path: 'src/main/java/app/Run.java',
      match: [
        '    Runtime.getRuntime().exec("ping " + host);',
        '    Runtime.getRuntime().exec(command);',
      ],
      noMatch: [
        '    Runtime.getRuntime().exec("ls");',
        '    new ProcessBuilder("tar", "xf", name).start();',
      ],
    },
  },
  {
    id: 'risk-java-deserialise',
    description: 'Java deserialization',
    regex: raw`\bnew\s+ObjectInputStream\(|\bnew\s+XMLDecoder\(|\.enableDefaultTyping\(|\bactivateDefaultTyping\(|\bnew\s+Yaml\(\s*\)|\bnew\s+XStream\(\s*\)|\bSerializationUtils\.deserialize\(|@JsonTypeInfo\(\s*use\s*=\s*(?:JsonTypeInfo\.)?Id\.CLASS\b`,
    path: JVM,
    keywords: [
      'objectinputstream',
      'xmldecoder',
      'defaulttyping',
      'new yaml(',
      'new xstream(',
      'serializationutils',
      '@jsontypeinfo',
    ],
    allowlists: [QUIET, COMMENTS],
    severity: 'low',
    message: 'Anybody who can write what is read here runs code.',
    fix: 'JSON into a known class, or an ObjectInputFilter with a list of classes.',
    cwe: 'CWE-502',
    source: 'https://docs.oracle.com/en/java/javase/21/core/java-serialization-filters.html',
    examples: {
      path: 'src/main/java/app/Cache.java',
      match: [
        '    var in = new ObjectInputStream(socket.getInputStream());',
        '    mapper.enableDefaultTyping();',
      ],
      noMatch: [
        '    var out = new ObjectOutputStream(file);',
        '    mapper.readValue(text, User.class);',
      ],
    },
  },
  {
    id: 'risk-java-xml',
    description: 'XML parser with external entities (Java)',
    regex: raw`\bsetFeature\(\s*(?:"http://(?:apache\.org/xml/features/disallow-doctype-decl"\s*,\s*false|xml\.org/sax/features/external-(?:general|parameter)-entities"\s*,\s*true)|XMLConstants\.FEATURE_SECURE_PROCESSING\s*,\s*false)|\bsetExpandEntityReferences\(\s*true\s*\)|\b(?:IS_SUPPORTING_EXTERNAL_ENTITIES|SUPPORT_DTD)\s*,\s*(?:Boolean\.)?(?:true|TRUE)\b`,
    path: JVM,
    keywords: [
      'disallow-doctype',
      'external-general',
      'external-parameter',
      'secure_processing',
      'expandentityreferences',
      'external_entities',
      'support_dtd',
    ],
    allowlists: [QUIET, COMMENTS],
    severity: 'medium',
    message: 'A document can then read files and call servers (XXE).',
    fix: 'Refuse document types: disallow-doctype-decl true.',
    cwe: 'CWE-611',
    source:
      'https://docs.oracle.com/en/java/javase/21/security/java-api-xml-processing-jaxp-security-guide.html',
    examples: {
      path: 'src/main/java/app/Xml.java',
      match: [
        '    f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", false);',
        '    f.setExpandEntityReferences(true);',
      ],
      noMatch: [
        '    f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);',
        '    f.setExpandEntityReferences(false);',
      ],
    },
  },
  {
    id: 'risk-java-sql',
    description: 'SQL built by string concatenation (Java)',
    regex: raw`(?i)\.(?:executeQuery|executeUpdate|execute|prepareStatement|createQuery|createNativeQuery|queryForObject|queryForList)\(\s*(?:"[^"\n]*\b(?:select|insert|update|delete|from)\b[^"\n]*"\s*\+\s*\w|String\.format\(\s*"[^"\n]*\b(?:select|insert|update|delete)\b)`,
    path: JVM,
    keywords: [
      'executequery',
      'executeupdate',
      '.execute(',
      'preparestatement',
      'createquery',
      'createnativequery',
      'queryforobject',
      'queryforlist',
    ],
    allowlists: [QUIET, COMMENTS],
    tags: [CALL_TAG],
    severity: 'medium',
    message: 'If a part of this text comes from outside, so does the statement.',
    fix: 'Placeholders: prepareStatement("... WHERE id = ?").',
    cwe: 'CWE-89',
    source: 'https://docs.oracle.com/javase/tutorial/jdbc/basics/prepared.html',
    examples: {
      path: 'src/main/java/app/Dao.java',
      match: [
        `    st.executeQuery("SELECT * FROM users WHERE name = '" + name + "'");`,
        '    em.createQuery("select u from User u where u.id = " + id);',
      ],
      noMatch: [
        '    c.prepareStatement("SELECT * FROM users WHERE name = ?");',
        '    st.executeQuery(SQL);',
      ],
    },
  },
] satisfies readonly Pattern[];
