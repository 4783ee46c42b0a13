/**
 * What JavaScript's standard library, Node, browsers and their usual companions do with values, one
 * fact a line; `gates/syntax/engine` reads it. Besides the sorts that `java/operations.ts` explains:
 *
 * - `word name text`: a name that the language has for something.
 * - `role R names`: a name that nothing declares, or of a parameter, that everybody gives to R.
 * - `leads R R2 members`: such a member of R is R2, or what a path says; of `.`: of anything.
 * - `typed R regex`: a parameter of such a type is R.
 * - `free path names`: what a name stands for that nothing declares.
 * - `set name words`: lists that the engine asks for by their names: `data:R` are members of R that
 *   are data from outside, `whole` those whose sender makes the whole object.
 */
export const ecmascriptOperations = String.raw`
word missing undefined
word constructor global.constructor
word function global.Function
word prototype global.Function.prototype
word constructor-member constructor
word prototype-member __proto__
word loader global.require
word self this
word patch-signs prototype|__proto__|global|window|self
word patches (?:\b(?:globalThis|global|window|self)|\bprototype|\b__proto__)\s{0,9}(?:\.\s{0,9}(\w+)|\[\s{0,9}['"\x60](\w+)['"\x60]\s{0,9}\])\s{0,9}=(?![=>])|\b(?:defineProperty|set)\s{0,9}\(\s{0,9}[\w.]{0,80}(?:prototype|globalThis|global|window)\s{0,9},\s{0,9}['"\x60](\w+)|\bassign\s{0,9}\(\s{0,9}(?:(?:Array|Set|Map|String|RegExp|Object|Number)\s{0,9}\.\s{0,9}prototype|globalThis|global|window)\s{0,9},

kind list Array Set WeakSet
kind table Map WeakMap

role request req request
role context ctx context
role event event evt
role location location
role document document
role window window globalThis
role process process
role socket socket
role this this
leads request request request req raw
leads context request request req
leads event request request req
leads event context node
leads document location location
leads window location location
leads window document document
leads this request req request
leads this context ctx
leads . request req
leads process global.require getBuiltinModule
leads window global.eval eval
leads window global.Function Function
leads window global.AsyncFunction AsyncFunction
leads window global.GeneratorFunction GeneratorFunction
leads window global.require require
leads window global.setTimeout setTimeout
leads window global.setInterval setInterval
leads window global.setImmediate setImmediate
leads window global.fetch fetch
leads window global.Reflect Reflect
typed request (?:^|Api|Fastify|Next|Http|Server|Auth\w{0,40})Request$|^(?:IncomingMessage|ServerRequest)$
typed context ^(?:Koa|Router|Parameterized|Hono|Gin|ExecutionC)?Context$|^GetServerSidePropsContext$
typed context ^(?:Loader|Action)(?:FunctionArgs|Args)$|^(?:DataFunctionArgs|RouteContext)$
typed event ^APIGateway\w*Event(?:V2)?$|^(?:LambdaFunctionURL|SQS|S3|SNS|ALB|H3|Message)Event$
typed socket ^(?:Web)?Socket$

set data:request body query params headers cookies signedCookies url originalUrl path hostname
set data:request fields file files rawBody rawHeaders querystring nextUrl payload
set data:context query params querystring url originalUrl path headers header cookies searchParams
set data:event body queryStringParameters pathParameters multiValueQueryStringParameters headers
set data:event multiValueHeaders rawQueryString rawPath data Records arguments
set data:location hash search href pathname
set data:document cookie referrer URL documentURI
set data:window name
set data:archive path fileName filename entryName name
set operator:process env argv
set whole body query payload rawBody
set object arguments data
set own-place url originalUrl path hostname nextUrl rawPath pathname href
set reads:request get header param query json text formData arrayBuffer valid cookie parseBody
set reads:request queries input all qs
set operator argv
set source searchParams formData userInput user_input
set local __dirname __filename NaN Infinity
set foreign originalname entryName
set numbers length byteLength
set stored path filename destination tempFilePath filepath buffer
set functions global.eval global.Function global.AsyncFunction global.GeneratorFunction
set functions global.require global.setTimeout global.setInterval global.setImmediate global.fetch
free child_process.exec exec
free child_process.execSync execSync
free child_process.execFile execFile
free child_process.execFileSync execFileSync
free child_process.spawn spawn
free child_process.spawnSync spawnSync
free global.eval eval
free global.Function Function
free global.AsyncFunction AsyncFunction
free global.GeneratorFunction GeneratorFunction
free global.require require
free global.setTimeout setTimeout
free global.setInterval setInterval
free global.setImmediate setImmediate
free global.fetch fetch
free global.Reflect Reflect
set methods map filter find forEach reduce some every sort flat concat slice push pop at fill join
set methods includes indexOf replace split trim link big bold sub sup toString valueOf call apply bind
pattern loader ^(?:(?:module|process\.mainModule|require\.main)\.require|(?:\w+\.)?getBuiltinModule|(?:Module|module|global\.constructor)\._load|new module\.require)$
pattern globals ^(?:window|globalThis|global|self|top|parent|frames)\.\w+$
pattern constant ^[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*$
pattern own-data ^\.{1,2}/.*\.json(?:\.|$)
pattern host ^(?:host|hostname)$
pattern headers headers?$
pattern stored \bfiles?$|^data of formidable(?:\.\w+)?$
pattern stored-path \bfiles?\b.*\.\w*[pP]ath$
pattern one-step ^$

set source-call getQuery readBody readRawBody readFormData getRouterParam getRouterParams getCookie
set source-call getHeader getHeaders getRequestHeader useSearchParams useQuery useParams
leads call context useRouter useRoute
leads call request getCurrentRequest
pattern free-source-call ^use

set timer setTimeout setInterval setImmediate
set server-call createServer createSecureServer serve
set element-call map forEach filter flatMap find some every reduce findIndex sort findLast each
set data-event data message readable field file
set state-event connect connection disconnect disconnecting error close end drain timeout open pong
set state-event ping listening ready lookup upgrade reconnect secureConnect
set route-call get post put patch delete del all use options head route any handle addRoute
set procedure query mutation subscription action handler
set procedure-input input rawInput parsedInput clientInput
set listens on once addListener
pattern router (?:^|\.)(?:\w*[aA]pp|\w*[rR]oute(?:r|s)?|\w*[sS]erver|fastify|instance|hono|express|koa|f)$
pattern tool-call ^(?:tool|registerTool|addTool)$
pattern chat-event ^(?:message|messageCreate|message_create|text|interactionCreate)$
pattern window ^(?:window|self|globalThis|parent|top)$
pattern server (?:^|\.)(?:io|wss?|server|httpServer|nsp|namespace|net|wsServer|socketServer|mcp|mcpServer)$
pattern desktop (?:^|\.)ipcMain$
pattern desktop-call ^(?:on|once|handle|handleOnce)$
pattern chat (?:^|\.)(?:\w*[bB]ot|\w*[cC]lient)$
pattern socket-module ^(?:net|tls)$
pattern route-path ^(?:/|\*|$)

pattern answer ^_?(?:res|reply|response|resp|h|rep)$
pattern-any-case asks req|^_?[rq]$|^_+$|incoming|^msg$
pattern failure ^_?e(?:rr(?:or)?)?$
pattern parent ^(?:_+|parent|root|_?(?:parent|root|source|obj))$
pattern page Page$
pattern strict-pipe ^Parse(?:Int|Float|Bool|UUID|Enum|Date)Pipe$
set entry loader action GET POST PUT PATCH DELETE HEAD OPTIONS handler load getServerSideProps
set entry getInitialProps Page default generateMetadata
set verb GET POST PUT PATCH DELETE HEAD OPTIONS
set entry-data params searchParams query url
set event-keys queryStringParameters pathParameters rawQueryString rawPath Records
set data-decorator Body Query Param Params Headers Header Cookies Cookie UploadedFile UploadedFiles
set data-decorator RawBody Args Arg BodyParam QueryParam QueryParams HeaderParam CookieParam Path
set data-decorator FormField MessageBody Payload
set request-decorator Req Request Ctx Context
set object-decorator Body Query QueryParams Args Arg MessageBody Payload BodyParam
set served use-server
harmless number boolean bigint null undefined never

set harmless-call Number parseInt parseFloat BigInt Boolean isNaN isFinite isInteger toInt toFloat
set harmless-call toBoolean toDate Date now random floor ceil round abs min max randomUUID
set harmless-call randomBytes uuid uuidv4 v4 nanoid cuid tmpdir cwd homedir platform arch hrtime
set harmless-call uptime hash hashSync digest md5 sha1 sha256 sha512 checksum
set harmless-method test includes startsWith endsWith indexOf lastIndexOf search localeCompare
set harmless-method charCodeAt codePointAt has some every findIndex getTime
function text String Buffer.from buffer.Buffer.from
function address URL url.URL url.parse
function pass decodeURIComponent decodeURI unescape atob querystring.unescape
function parse JSON.parse
function object qs.parse Object.assign structuredClone
function resolve path.join path.resolve path.normalize path.relative path.posix.join join resolve
function resolve normalize fileURLToPath url.fileURLToPath
function pass btoa path.dirname dirname qs.stringify querystring.parse querystring.stringify
function pass url.format util.inspect URLSearchParams url.URLSearchParams Buffer pathToFileURL
function pass _.merge _.pick _.omit _.get _.cloneDeep _.trim _.defaults Promise.resolve Promise.all
function pass Promise.allSettled Promise.race Promise.any Object.fromEntries
function list-of Array.from
function items Array.of
function keys Object.keys Reflect.ownKeys Object.getOwnPropertyNames
function values Object.values
function entries Object.entries
function same Object.freeze Object.seal
function format util.format format
function json JSON.stringify
function random Math.random _.random lodash.random
set decoder decodeURIComponent decodeURI unescape atob querystring.unescape JSON.parse
pattern whole-path resolve$
pattern decodes ^(?:decode|unescape|unquote)
pattern converter ^(?:decode|normali[sz]e|unescape|trim|convert|lower|upper|unquote)
set resolver lookup resolve4 resolve6
set schema-call parse parseAsync safeParse safeParseAsync validate validateAsync validateSync cast
set schema-call attempt
pattern parser ^(?:JSON|qs|querystring|url|URL|path|Date|yaml|YAML|ini|toml|csv)$
pattern-any-case cleans ^(?!un|de)\w*(?:escape|saniti[sz]e|quote|slugify|clean|purify)|^(?:parameterize|encodeSQL|slug|kebabCase|basename|validated?)$
pattern-any-case cleans-markup ^(?:encode|escape|saniti[sz]e|clean|strip|purify|filter)\w*(?:html|xml|markup|tags|entities|xss)\w*$|^(?:xss|filterXSS|striptags|htmlEncode|htmlspecialchars|purify|escapeHTML)$

list append push add
list prepend unshift
list take shift
list take-last pop
list clear clear
list same values reverse sort keys entries
list number size indexOf
table put set
table get get
table remove delete
table clear clear
table number size has
table any values
set cut slice substring substr split match exec at
set keeping toString trim trimStart trimEnd toLowerCase toUpperCase valueOf
set item pop shift find get entries values keys filter reverse sort
set maps map flatMap then
pattern-any-case promises valid|allow|permitted|whitelist|trusted|safe|inside|within|contained|subpath|subdir|underroot|^is(?:IP|FQDN|UUID|Int|Numeric|Alpha|MongoId|Hexadecimal|Slug|Port|In[A-Z]|Local|Relative|Same|Own|Public|Url|Host|Path)
pattern-any-case refuses private|internal|loopback|block|forbid|reserved|disallow|(?:un|not)_?safe|den(?:y|ied)|suspicious|danger|banned|invalid|malicious
pattern asserts ^(?:assert|ensure|check|validate|verify|require|guard|enforce|restrict|reject|refuse)(?:[A-Z]\w*)?$
set assert assert assert.ok assert.strict assert.strict.ok assert/strict assert/strict.ok invariant
set assert tiny-invariant
pattern merge-likely \][ \t]*(?:=(?!=|>)|\|\|=|\?\?=)|\bassign\s{0,9}\([^,)]{1,80},\s{0,9}\{\s{0,9}\[
pattern merge-loop \b(?:for|while|forEach|reduce|each|every|map)\b
pattern merge-call \(\s{0,9}[\w$.]{1,80}\[[^\]\n]{1,80}\]\s{0,9},
pattern merge-guard __proto__|['"\x60]constructor['"\x60]|\bObject\.create\(null\)|\bnew Map\b|\b\w*(?:[pP]roto(?!col|type\.)|[sS]anitiz\w*[kK]ey|[uU]nsafe|[fF]orbidden|[dD]angerous|[bB]locked|[dD]isallowed|[rR]eserved|[sS]afe[kK]ey|[iI]sSafe)\w*
pattern key-path \.\s{0,9}split\s{0,9}\(\s{0,9}(?:['"\x60](?:\.|\[|\]\[)['"\x60]|\/[^/\n]{0,80}(?:\\\.|\\\[|\[[.\]])[^/\n]{0,80}\/)
pattern denied-key ^(?:__proto__|constructor|prototype)$
pattern response ^(?:\w+\.)?(?:res|resp|response|reply)$
pattern reply reply$
set chaining status code set header setHeader type contentType cookie clearCookie append vary links
set chaining location attachment headers sendStatus
pattern-any-case page-type html|xml|svg
pattern client ^(?:axios|got|ky|request)$
set client-maker create extend instance defaults
pattern query-object ^(?:\$|jQuery)$
`;
