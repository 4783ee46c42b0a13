import type { Pattern } from '../../model/rules.ts';
import { CALL_TAG, PYTHON } from '../risk/paths.ts';

const raw = String.raw;

const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*|/\*)`],
} as const;
const CLEANED = {
  description: 'encoded, escaped, or cut down to the name of a file',
  regexTarget: 'match',
  regexes: [
    raw`(?i)encode|escape|sanitiz|GetFileName\(|\.file_name\(|\btoInt|\bparse::<|int\.Parse`,
  ],
} as const;

const CSHARP = raw`(?i)\.(?:cs|cshtml|razor|aspx|ashx)$`;
const KOTLIN_SCALA = raw`(?i)\.(?:kts?|scala|sc)$`;
const RUST = raw`\.rs$`;

/** What a caller sends: ASP.NET and ASP.NET Core. */
const FROM_ASPNET = raw`(?:\w+\.)*\bRequest(?:\[|\.(?:Query|QueryString|Form|Headers|Cookies|Params|RouteValues|Body|InputStream)\b)`;

/** The same in Ktor, Spring, servlets, Play, Akka and Scalatra. */
const FROM_JVM = raw`(?:\bcall\.(?:parameters|receive\w*|request\.(?:queryParameters|rawQueryParameters|headers|cookies|queryString))|\b(?:req|request)\.(?:getParameter|getHeader|getQueryString|queryString|queryParam|headers?|cookies|body|getInputStream|inputStream)|\bparams(?:\(|\[|\.get\())`;

/** The same in axum, actix-web, warp, Rocket and hyper. */
const FROM_RUST = raw`(?:\b(?:req|request)\.(?:match_info|query_string|uri|headers|cookie|param)\(|\b(?:params|query|form)(?:\[|\.(?:0\.)?\w+))`;

const ASPNET_WORDS = [
  ...['request[', 'request.query', 'request.form', 'request.headers', 'request.cookies'],
  ...['request.params', 'request.routevalues', 'request.body', 'request.inputstream'],
];
const JVM_WORDS = [
  ...['call.parameters', 'call.receive', 'call.request.', 'getparameter', 'getheader'],
  ...['getquerystring', '.querystring', '.queryparam', 'req.header', 'request.header'],
  ...['req.cookies', 'request.cookies', 'req.body', 'request.body', 'getinputstream'],
  ...['req.inputstream', 'request.inputstream', 'params(', 'params[', 'params.get('],
];

/** Text that gets a value pasted in: where an interpolation opens, or behind `+`. */
const PASTED = raw`[$@sf]{0,2}"{1,3}[^"\n]*(?:\$?\{\s*|"{1,3}\s*\+\s*)`;
const PASTED_SQL = raw`[$@sf]{0,2}"{1,3}\s*(?i:select|insert|update|delete|with|from)\b[^"\n]*(?:\$?\{\s*|"{1,3}\s*\+\s*)`;
const SHELL = raw`"(?:/bin/)?(?:ba|z)?sh"`;

const COMMAND = {
  report_as: 'vuln-01',
  severity: 'critical',
  message: 'A caller can run any command on the server.',
  fix: 'Start the program with a list of arguments and no shell; allow known values only.',
  cwe: 'CWE-78',
} as const;
const CODE = {
  report_as: 'vuln-02',
  severity: 'critical',
  message: 'A caller can run any code in the program.',
  fix: 'Keep code and templates in files, and pass values to them as arguments.',
  cwe: 'CWE-94',
} as const;
const SQL = {
  report_as: 'vuln-03',
  severity: 'critical',
  message: 'A caller can read and change data of the database.',
  fix: 'Use placeholders, and pass the value as a parameter.',
  cwe: 'CWE-89',
} as const;
const HTML = {
  report_as: 'vuln-04',
  severity: 'critical',
  message: 'A caller can run a script in the browser of a user.',
  fix: 'Encode the value for HTML, or let the template do so.',
  cwe: 'CWE-79',
} as const;
const PATH = {
  report_as: 'vuln-05',
  severity: 'critical',
  message: 'A caller can reach files outside of the intended folder.',
  fix: 'Resolve the path, and refuse one outside of the folder that is meant.',
  cwe: 'CWE-22',
} as const;
const ADDRESS = {
  report_as: 'vuln-06',
  severity: 'critical',
  message: 'A caller can make the server send requests to any host, also to internal ones.',
  fix: 'Choose the host from a list; take no more than a name of an entry from the request.',
  cwe: 'CWE-918',
} as const;
const OBJECT = {
  report_as: 'vuln-07',
  severity: 'critical',
  message: 'A caller can create objects of any class, and so run code in the program.',
  fix: 'Read JSON into a type of your own.',
  cwe: 'CWE-502',
} as const;

/** Input of a web request in C#, Kotlin, Scala, Rust and templates of Flask, within one line. */
export const typedRequestInputPatterns = [
  {
    ...COMMAND,
    id: 'vuln-01-csharp-shell',
    description: 'User input in a command (C#)',
    regex: raw`\b(?:Process\.Start|new\s+ProcessStartInfo)\s*\([^;\n]*?${FROM_ASPNET}|\bArguments\s*=[^;\n]*?${FROM_ASPNET}`,
    path: CSHARP,
    tags: [CALL_TAG],
    keywords: ASPNET_WORDS,
    allowlists: [COMMENTS, CLEANED],
    source:
      'https://learn.microsoft.com/en-us/dotnet/fundamentals/code-analysis/quality-rules/ca3006',
    examples: {
      path: 'Controllers/PingController.cs',
      match: [
        '        Process.Start("cmd.exe", "/c ping " + Request.Query["host"]);',
        '            Arguments = $"-c \\"nslookup {HttpContext.Request.Form["name"]}\\"",',
      ],
      noMatch: [
        '        Process.Start("notepad.exe");',
        '        var host = Request.Query["host"];',
      ],
    },
  },
  {
    ...COMMAND,
    id: 'vuln-01-kotlin-scala-shell',
    description: 'User input in a command (Kotlin, Scala)',
    regex: raw`\b(?:exec|Process|ProcessBuilder)\s*\(\s*(?:${PASTED})?${FROM_JVM}|${SHELL}\s*,\s*"-\w*c"\s*,[^\n]*?${FROM_JVM}|${PASTED}${FROM_JVM}[^\n]*"{1,3}\)?\s*\.?\s*!{1,2}`,
    path: KOTLIN_SCALA,
    keywords: JVM_WORDS,
    allowlists: [COMMENTS, CLEANED],
    source: 'https://www.scala-lang.org/api/2.13.x/scala/sys/process/index.html',
    examples: {
      path: 'src/main/kotlin/app/Ping.kt',
      match: [
        `    Runtime.getRuntime().exec("ping \${call.parameters["host"]}")`,
        '    val out = Seq("sh", "-c", "host " + request.getQueryString("name").get).!!',
        `    s"nslookup \${request.getQueryString("h").get}".!!`,
      ],
      noMatch: [
        '    ProcessBuilder("ping", "-c", "1", host).start()',
        '    val host = call.parameters["host"]',
        `    call.respondText("pong \${call.parameters["host"]}")`,
      ],
    },
  },
  {
    ...COMMAND,
    id: 'vuln-01-rust-shell',
    description: 'User input in a shell command (Rust)',
    regex: raw`\bCommand::new\(\s*${SHELL}\s*\)[^;\n]*"-\w*c"[^;\n]*?${FROM_RUST}`,
    path: RUST,
    keywords: ['command::new('],
    allowlists: [COMMENTS, CLEANED],
    source: 'https://doc.rust-lang.org/std/process/struct.Command.html',
    examples: {
      path: 'src/routes.rs',
      match: [
        '    Command::new("sh").arg("-c").arg(format!("ping -c 1 {}", query.host)).output()',
        '    Command::new("/bin/bash").args(["-c", &params["cmd"]]).spawn()?;',
      ],
      noMatch: [
        '    Command::new("ping").arg(&query.host).output()',
        '    Command::new("sh").arg("-c").arg("uptime").output()',
      ],
    },
  },
  {
    ...CODE,
    id: 'vuln-02-flask-template',
    description: 'User input in a template that is run as code (Flask, Jinja2)',
    regex: raw`\b(?:render_template_string|from_string|Template)\(\s*(?:f?["'][^\n]*?(?:\{\s*|["']\s*(?:\+|%)\s*\(?\s*|["']\s*\.format\(\s*(?:\w+\s*=\s*)?))?(?:str\(\s*)?(?:flask\.)?request\.(?:args|form|values|json|data|cookies|headers|files|get_json|get_data)\b`,
    path: PYTHON,
    tags: [CALL_TAG],
    keywords: ['render_template_string', 'from_string(', 'template('],
    allowlists: [
      COMMENTS,
      {
        description: 'a fixed template, and the input among its values',
        regexTarget: 'match',
        regexes: [raw`\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*,`, raw`\bescape\(`],
      },
    ],
    source:
      'https://owasp.org/www-project-web-security-testing-guide/v42/4-Web_Application_Security_Testing/07-Input_Validation_Testing/18-Testing_for_Server-side_Template_Injection',
    examples: {
      path: 'app/views.py',
      match: [
        `    return render_template_string("<h1>Hello " + request.args.get("name") + "</h1>")`,
        `    return render_template_string(f"<p>{request.args['q']}</p>")`,
        `    return render_template_string(request.form["template"])`,
        `    return render_template_string("<p>%s</p>" % request.values["q"])`,
      ],
      noMatch: [
        `    return render_template_string("<p>{{ name }}</p>", name=request.args["name"])`,
        `    return render_template("a.html", name=request.args["name"])`,
      ],
    },
  },
  {
    ...CODE,
    id: 'vuln-02-typed-eval',
    description: 'User input is run as a script (C#, Kotlin, Scala)',
    regex: raw`\bCSharpScript\.(?:EvaluateAsync|RunAsync|Create)(?:<\w+>)?\s*\(\s*(?:${PASTED})?${FROM_ASPNET}|\.eval\s*\(\s*(?:${PASTED})?${FROM_JVM}`,
    path: raw`(?i)\.(?:cs|kts?|scala|sc)$`,
    tags: [CALL_TAG],
    keywords: [...ASPNET_WORDS, ...JVM_WORDS],
    allowlists: [COMMENTS],
    source: 'https://cwe.mitre.org/data/definitions/94.html',
    examples: {
      path: 'src/main/kotlin/app/Calc.kt',
      match: [
        '    engine.eval(call.parameters["formula"])',
        '    var r = await CSharpScript.EvaluateAsync<int>(Request.Query["formula"]);',
      ],
      noMatch: ['    engine.eval("1 + 1")', '    val f = call.parameters["formula"]'],
    },
  },
  {
    ...SQL,
    id: 'vuln-03-csharp-sql',
    description: 'User input in an SQL statement (C#)',
    regex: raw`\b(?:FromSqlRaw|ExecuteSqlRaw(?:Async)?|SqlQueryRaw(?:<\w+>)?|Query\w*(?:<\w+>)?|Execute\w*(?:<\w+>)?|new\s+\w*(?:Command|DataAdapter))\s*\(\s*${PASTED_SQL}${FROM_ASPNET}|\bCommandText\s*\+?=\s*${PASTED_SQL}${FROM_ASPNET}`,
    path: CSHARP,
    tags: [CALL_TAG],
    keywords: ASPNET_WORDS,
    allowlists: [COMMENTS, CLEANED],
    source:
      'https://learn.microsoft.com/en-us/dotnet/fundamentals/code-analysis/quality-rules/ca3001',
    examples: {
      path: 'Controllers/UserController.cs',
      match: [
        '        var cmd = new SqlCommand("SELECT * FROM users WHERE id = " + Request.Query["id"], c);',
        '        db.Users.FromSqlRaw($"SELECT * FROM users WHERE name = \'{Request.Form["name"]}\'");',
        '        cmd.CommandText = "DELETE FROM t WHERE n = \'" + Request["n"] + "\'";',
      ],
      noMatch: [
        '        db.Users.FromSqlRaw("SELECT * FROM users WHERE id = {0}", Request.Query["id"]);',
        '        db.Users.FromSqlInterpolated($"SELECT * FROM users WHERE id = {Request.Query["id"]}");',
        '        cmd.Parameters.AddWithValue("@id", Request.Query["id"]);',
      ],
    },
  },
  {
    ...SQL,
    id: 'vuln-03-kotlin-scala-sql',
    description: 'User input in an SQL statement (Kotlin, Scala)',
    regex: raw`\b(?:executeQuery|executeUpdate|execute|prepareStatement|createQuery|createNativeQuery|queryForObject|queryForList|query|rawQuery|exec|SQL)\s*\(\s*${PASTED_SQL}${FROM_JVM}|\bsqlu?"{1,3}[^"\n]*#\$\{\s*${FROM_JVM}`,
    path: KOTLIN_SCALA,
    keywords: JVM_WORDS,
    allowlists: [COMMENTS, CLEANED],
    source:
      'https://cheatsheetseries.owasp.org/cheatsheets/Query_Parameterization_Cheat_Sheet.html',
    examples: {
      path: 'src/main/scala/app/Users.scala',
      match: [
        `    st.executeQuery(s"SELECT * FROM users WHERE id = \${request.getQueryString("id").get}")`,
        '    jdbc.queryForList("select * from t where n = \'" + call.parameters["n"] + "\'")',
        `    sql"select * from t order by #\${request.getQueryString("by").get}".as[Int]`,
      ],
      noMatch: [
        `    sql"select * from t where id = \${request.getQueryString("id").get}".as[Int]`,
        '    jdbc.queryForList("select * from t where n = ?", call.parameters["n"])',
      ],
    },
  },
  {
    ...SQL,
    id: 'vuln-03-rust-sql',
    description: 'User input in an SQL statement (Rust)',
    regex: raw`\b(?:query\w*|sql_query|execute|query_row|prepare|batch_execute|simple_query)(?:::<[^>\n]*>)?\s*\(\s*&?\s*format!\s*\(\s*r?#?"\s*(?i:select|insert|update|delete|with)\b[^\n]*?${FROM_RUST}`,
    path: RUST,
    keywords: ['format!('],
    allowlists: [COMMENTS],
    source: 'https://docs.rs/sqlx/latest/sqlx/fn.query.html',
    examples: {
      path: 'src/routes.rs',
      match: [
        '    sqlx::query(&format!("SELECT * FROM users WHERE name = \'{}\'", params.name))',
        '    conn.execute(&format!("DELETE FROM t WHERE id = {}", req.match_info().query("id")), &[])',
      ],
      noMatch: [
        '    sqlx::query("SELECT * FROM users WHERE name = $1").bind(&params.name)',
        '    sqlx::query(&format!("SELECT * FROM {} WHERE id = $1", TABLE))',
      ],
    },
  },
  {
    ...HTML,
    id: 'vuln-04-typed-html',
    description: 'User input in a page, unescaped (C#, Kotlin, Scala)',
    regex: raw`\b(?:Response\.Write(?:Async)?|Html\.Raw|new\s+HtmlString)\s*\(\s*(?:${PASTED})?${FROM_ASPNET}|\b(?:respondText|Ok)\s*\(\s*[s$]?"{1,3}[^"\n]*<\w[^"\n]*\$\{\s*${FROM_JVM}[^\n]*(?:Text\.Html|as\(HTML\))`,
    path: raw`(?i)\.(?:cs|cshtml|razor|aspx|ashx|kts?|scala)$`,
    keywords: [...ASPNET_WORDS, ...JVM_WORDS],
    allowlists: [COMMENTS, CLEANED],
    source: 'https://learn.microsoft.com/en-us/aspnet/core/security/cross-site-scripting',
    examples: {
      path: 'Views/Search.cshtml',
      match: [
        '    @Html.Raw(Context.Request.Query["q"])',
        '    Response.Write("<p>" + Request["name"] + "</p>");',
        `    call.respondText("<p>\${call.parameters["n"]}</p>", ContentType.Text.Html)`,
      ],
      noMatch: [
        '    @Context.Request.Query["q"]',
        '    Response.Write(HttpUtility.HtmlEncode(Request["name"]));',
      ],
    },
  },
  {
    ...PATH,
    id: 'vuln-05-typed-file',
    description: 'User input chooses a file (C#, Kotlin, Scala, Rust)',
    regex: raw`\bFile\.(?:ReadAll\w+|ReadLines|Open\w*|Delete|WriteAll\w+|Copy|Move)\s*\([^;\n]*?${FROM_ASPNET}|\b(?:File|Paths\.get|Path\.of|fromFile|FileInputStream)\s*\(\s*(?:${PASTED}|[\w".]+\s*,\s*)?${FROM_JVM}|\b(?:fs::(?:read|read_to_string|write|remove_file)|File::(?:open|create)|NamedFile::open(?:_async)?)\s*\([^;\n]*?${FROM_RUST}`,
    path: raw`(?i)\.(?:cs|cshtml|aspx|ashx|kts?|scala|rs)$`,
    tags: [CALL_TAG],
    keywords: [...ASPNET_WORDS, ...JVM_WORDS, 'fs::', 'file::'],
    allowlists: [COMMENTS, CLEANED],
    source: 'https://owasp.org/www-community/attacks/Path_Traversal',
    examples: {
      path: 'Controllers/FileController.cs',
      match: [
        '        return Content(System.IO.File.ReadAllText("pages/" + Request.Query["p"]));',
        '    call.respondFile(File("uploads", call.parameters["name"]!!))',
        '    let text = std::fs::read_to_string(format!("pages/{}", query.page))?;',
      ],
      noMatch: [
        '        File.ReadAllText(Path.Combine(root, Path.GetFileName(Request.Query["p"])));',
        '    val name = call.parameters["name"]',
        '    let text = std::fs::read_to_string("pages/index.html")?;',
      ],
    },
  },
  {
    ...ADDRESS,
    id: 'vuln-06-typed-fetch',
    description: 'User input chooses the address of a request (C#, Kotlin, Scala, Rust)',
    regex: raw`\b(?:GetAsync|GetStringAsync|GetByteArrayAsync|GetStreamAsync|DownloadString|DownloadData|WebRequest\.Create)\s*\(\s*(?:new\s+Uri\(\s*)?${FROM_ASPNET}|\b(?:client\.(?:get|post|request)|URL|URI\.create|ws\.url|fromURL)\s*\(\s*${FROM_JVM}|\b(?:reqwest::(?:blocking::)?|client\.)get\(\s*&?${FROM_RUST}`,
    path: raw`(?i)\.(?:cs|kts?|scala|rs)$`,
    keywords: [...ASPNET_WORDS, ...JVM_WORDS, 'reqwest::', 'client.get('],
    allowlists: [COMMENTS, CLEANED],
    source:
      'https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html',
    examples: {
      path: 'src/main/kotlin/app/Proxy.kt',
      match: [
        '    val page = client.get(call.parameters["url"]!!).bodyAsText()',
        '        var page = await http.GetStringAsync(Request.Query["url"]);',
        '    let page = reqwest::get(&params.url).await?;',
      ],
      noMatch: [
        '    val page = client.get("https://api.example.com/items")',
        '        var page = await http.GetStringAsync("https://api.example.com/" + id);',
      ],
    },
  },
  {
    ...OBJECT,
    id: 'vuln-07-typed-deserialise',
    description: 'User input is deserialised (C#, Kotlin, Scala)',
    regex: raw`\b(?:BinaryFormatter|NetDataContractSerializer|LosFormatter|SoapFormatter|ObjectStateFormatter)\s*\(\s*\)\s*\.\s*Deserialize\s*\([^;\n]*?${FROM_ASPNET}|\bObjectInputStream\s*\([^;\n]*?${FROM_JVM}`,
    path: raw`(?i)\.(?:cs|aspx|ashx|kts?|scala)$`,
    tags: [CALL_TAG],
    keywords: [...ASPNET_WORDS, ...JVM_WORDS],
    allowlists: [COMMENTS],
    source:
      'https://learn.microsoft.com/en-us/dotnet/standard/serialization/binaryformatter-security-guide',
    examples: {
      path: 'Controllers/CartController.cs',
      match: [
        '        var cart = new BinaryFormatter().Deserialize(Request.Body);',
        '    val cart = ObjectInputStream(call.receiveStream()).readObject()',
      ],
      noMatch: [
        '        var cart = await JsonSerializer.DeserializeAsync<Cart>(Request.Body);',
        '    val cart = call.receive<Cart>()',
      ],
    },
  },
] satisfies readonly Pattern[];
