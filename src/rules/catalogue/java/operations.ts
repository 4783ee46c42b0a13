/**
 * What the JDK and its usual companions do with values, one fact a line; `gates/syntax/engine`
 * reads it. The first word says which sort of fact it is:
 *
 * - `kind K paths`: objects of these classes are lists, tables or builders of text.
 * - `K operation methods`: what methods of a kind do; `text` is a text, `any` whatever is called.
 * - `function operation paths`: what a function does, by its path from a package.
 * - `guard operation methods`: what a boolean, or that there is a result, says of what was asked.
 * - `converts paths`, `asserts paths`: functions that throw, as they are written, for all but
 *   numbers and identifiers, or where a condition is false.
 * - `known paths`: classes that go by their names without a line of their own.
 * - `harmless types`: they hold no text of the caller's choice; `textual types`: they may do so.
 * - `route annotations`: a server calls such a method with data; `handler methods`: by its name.
 * - `limits annotations`: they leave nothing to choose but names and numbers; `bound annotations`:
 *   they give a pattern.
 * - `statement annotations`: their text is a statement with parameters in `\${}`.
 * - `action bases`: a server fills the fields of such classes that have a setter.
 * - `pattern name regex`: names that everybody gives to such methods.
 */
export const javaOperations = String.raw`
kind list java.util.ArrayList java.util.LinkedList java.util.Vector java.util.Stack
kind list java.util.ArrayDeque
kind list java.util.HashSet java.util.LinkedHashSet java.util.TreeSet java.util.PriorityQueue
kind list java.util.concurrent.CopyOnWriteArrayList java.util.concurrent.ConcurrentLinkedQueue
kind table java.util.HashMap java.util.LinkedHashMap java.util.TreeMap java.util.Hashtable
kind table java.util.concurrent.ConcurrentHashMap java.util.Properties java.util.WeakHashMap
kind builder java.lang.StringBuilder java.lang.StringBuffer

list append add addLast offer push addElement offerLast
list prepend addFirst offerFirst
list extend addAll
list set set setElementAt
list remove remove
list clear clear removeAllElements
list first getFirst firstElement element peekFirst
list last getLast lastElement peekLast
list take pop poll removeFirst pollFirst take
list take-last removeLast pollLast
list get get elementAt
list any next nextElement previous peek orElse orElseThrow findFirst findAny orElseGet min max
list same iterator listIterator elements stream parallelStream toArray subList reversed sorted
list same toList distinct limit skip boxed asIterator descendingIterator asList unmodifiable
list number size isEmpty contains containsAll indexOf hasNext hasMoreElements count
table put put putIfAbsent setProperty setAttribute replace putValue
table get get getProperty getAttribute getOrDefault getValue
table remove remove removeAttribute
table clear clear
table extend putAll
table any values elements
table keys keySet keys propertyNames getAttributeNames stringPropertyNames
table entries entrySet
table number size isEmpty containsKey containsValue contains
builder append append
builder insert insert
builder text toString substring subSequence
builder clear setLength delete deleteCharAt
builder replace replace
builder self reverse
text upper toUpperCase
text lower toLowerCase
text trim trim strip
text same toString intern stripIndent stripLeading stripTrailing translateEscapes
text slice substring subSequence
text character charAt
text length length
text position indexOf
text concat concat
text replace replace
text replace-pattern replaceAll replaceFirst
text split split
text format formatted format
text list toCharArray lines chars

function format java.lang.String.format
function build java.text.MessageFormat.format
function first java.lang.String.valueOf java.lang.String.copyValueOf java.lang.String
function first java.util.Objects.requireNonNull java.util.Objects.toString
function first java.util.Arrays.stream java.util.List.copyOf java.util.Optional.of
function first java.util.Optional.ofNullable java.util.concurrent.CompletableFuture.completedFuture
function first java.util.Collections.unmodifiableList java.util.Collections.unmodifiableMap
function either java.util.Objects.requireNonNullElse
function join java.lang.String.join
function list java.util.List.of java.util.Set.of java.util.Arrays.asList java.util.stream.Stream.of
function list java.util.Collections.singletonList java.util.Collections.singleton
function table java.util.Map.of java.util.Collections.singletonMap
function pattern java.util.regex.Pattern.compile java.util.stream.Collectors.joining
function number java.lang.Integer.parseInt java.lang.Integer.valueOf java.lang.Long.parseLong

guard equal equals equalsIgnoreCase contentEquals deepEquals
guard starts startsWith
guard ends endsWith
guard holds containsKey containsValue
guard matches matches
guard finds find lookingAt
guard tested test
guard any anyMatch
guard none noneMatch
guard search contains containsAny containsIgnoreCase indexOf
guard nothing isAbsolute hasMoreElements hasNext isEmpty isBlank
guard plain isNumeric isDigits isAlpha isAlphanumeric isParsable isCreatable isNumber
guard plain isValidInetAddress isValidInet4Address isValidInet6Address

converts Integer.parseInt Integer.valueOf Long.parseLong Long.valueOf UUID.fromString
converts LocalDate.parse LocalDateTime.parse Instant.parse Double.parseDouble
asserts Assert.isTrue Validate.isTrue Preconditions.checkArgument Preconditions.checkState
asserts checkArgument checkState Assert.state

known java.net.http.HttpRequest java.util.List java.util.Arrays java.util.Set java.util.Map
known java.util.Collections java.util.Optional java.util.Objects java.util.regex.Pattern
known java.util.stream.Collectors java.util.stream.Stream java.util.UUID java.text.MessageFormat
known java.util.StringJoiner java.nio.charset.StandardCharsets java.util.EnumSet
known org.springframework.util.Assert com.google.common.base.Preconditions
known java.util.concurrent.CompletableFuture java.util.Scanner java.util.StringTokenizer
known java.io.File java.io.InputStreamReader java.io.BufferedReader java.io.BufferedInputStream
known java.io.StringReader java.io.ByteArrayInputStream java.io.DataInputStream
known java.io.PushbackInputStream java.nio.file.Path java.util.zip.GZIPInputStream
known java.util.zip.InflaterInputStream org.apache.commons.lang3.StringUtils
known com.google.common.io.CharStreams com.google.common.io.ByteStreams com.google.gson.Gson
known com.google.gson.JsonParser org.json.JSONObject org.json.JSONArray
known org.springframework.util.StreamUtils org.springframework.util.FileCopyUtils
known org.springframework.web.util.UriComponentsBuilder com.esotericsoftware.kryo.io.Input
known org.xml.sax.InputSource

harmless int long short byte float double boolean void
harmless Integer Long Short Byte Double Float Boolean Number BigDecimal BigInteger UUID
harmless LocalDate LocalDateTime LocalTime ZonedDateTime OffsetDateTime Instant Duration Period Year
harmless YearMonth DayOfWeek Month Date Timestamp Calendar ZoneId Locale Currency ObjectId Pageable
harmless Void AtomicInteger AtomicLong AtomicBoolean OptionalInt OptionalLong HttpStatus HttpMethod
harmless TimeUnit InetAddress Class ChronoUnit MediaType
textual String CharSequence Object List Set Map Collection Iterable Iterator Optional Stream
textual ArrayList LinkedList HashMap LinkedHashMap HashSet TreeMap Queue Deque Properties
textual CompletableFuture Future Mono Flux Supplier Function Callable Consumer Predicate
textual ResponseEntity Entry Map.Entry T E K V CompletionStage Uni Multi var Single Maybe
textual MultiValueMap Vector Stack Enumeration Hashtable

route GetMapping PostMapping PutMapping DeleteMapping PatchMapping RequestMapping MessageMapping
route QueryMapping MutationMapping SubscribeMapping SchemaMapping Get Post Put Delete Patch Head
route Options CustomHttpMethod GET POST PUT DELETE PATCH HEAD OPTIONS OnMessage OnOpen Route
route Incoming KafkaListener RabbitListener JmsListener SqsListener
handler handleRequest
limits Digits Min Max Positive Uuid UUID Email
bound Pattern
statement Select Update Insert Delete
action ActionSupport Action BaseAction AbstractAction

pattern numeric ^(?:is[A-Z]\w*|has[A-Z]\w*|can[A-Z]\w*|equals\w*|contains\w*|startsWith|endsWith|matches|compareTo\w*|\w*[iI]ndexOf|count|size|length|hashCode|isEmpty|exists|intValue|longValue|next(?:Int|Long|Double|Boolean)|get(?:Int|Long|Boolean|Double|Port|Size|ContentLength|Class)\w*|as(?:Int|Long|Boolean|Double)|\w*Match)$
pattern number-name (?:^|[a-z])(?:[iI]ds?|[cC]ount|[sS]ize|[lL]imit|[oO]ffset|[pP]age|[nN]umber|[nN]um|[aA]ge|[tT]otal|[tT]ime|[dD]ate|[eE]nabled|[vV]ersion|[qQ]uantity|[aA]mount|[pP]rice|[lL]ength|[yY]ear|[mM]onth|[dD]ay|[pP]ort|[sS]tatus|[gG]ender|[lL]evel|[iI]ndex)$
pattern constant ^[A-Z][A-Z\d]+(?:_[A-Z\d]+)*$
pattern feature .
pattern getter ^(?:get|is)(?=[A-Z])
pattern whole-getter ^get(?:Bytes|Value|Body|InputStream|Reader|Path|OrNull|Absolute\w+|Canonical\w+|URI|Text|String|Name)$
pattern keyed ^(?:get\w*|path|at|remove|opt\w*|first|param)$
pattern keeps ^(?:orElse\w*|get|toString|trim|strip|value|block|join)$
pattern invokes ^(?:apply|accept|test|get|run|call|applyAs\w+|getAs\w+|handle|invoke)$
pattern maps ^(?:map\w*|flatMap\w*|thenApply\w*|thenCompose\w*|handle|transform\w*|onItem|chain)$
pattern filters ^(?:filter|takeWhile|dropWhile|removeIf)$
pattern gathers ^collect$
pattern joins joining\(\)$
pattern claims ^(?:is|has|check|verify|valid(?:ate)?|allow(?:ed)?|permit|safe|ensure|assert|match(?:es)?|mustBe|in|contains)(?:[A-Z_]|$)|(?:Is|Valid|Allowed|Safe|Permitted|Whitelisted)(?:[A-Z]|$)
pattern cleans ^(?:sanitize|escape|encode|clean|purify|strip(?:Tags|Html))(?:[A-Z_]|$)|(?:Sanitiz|Escap|Encod)(?:e|er|ed)(?:[A-Z_]|$)
pattern opaque ^(?:encrypt|hash|digest|hmac|md5|sha\d{1,3})(?![a-z])
pattern writes ^(?:set|add|put|append|write|push|offer|insert|with|load)(?=[A-Z]|$)
pattern file ^java\.(?:io\.File|nio\.file\.(?:Path|Paths|Files))\b
pattern resolves ^(?:normalize|toRealPath|getCanonical(?:Path|File)|realpath|cleanPath)$
pattern last-name ^get(?:Name|FileName)$
pattern address ^(?:URI|URL|HttpUrl|create|toURL|toURI|toUri|toUrl|get|parse|of)$
pattern address-path UR[IL]|HttpUrl|\.net\.
pattern host ^(?:getHost|getAuthority|host)$
pattern stream (?:InputStream|Reader|[gG]etBytes|readAllBytes)\(\)$
pattern one-step ^(?:PathVariable|PathParam|RestPath)$
pattern one-step-call ^path(?:Param|Variable|Token)s?$
pattern context Context|Auth|Inject
pattern telling (?:Db|DB|Dao|DAO|Jdbc|JDBC|Sql|SQL|Session|Connection|Statement|Template|Manager)$
pattern whole ^(?:Map|Object|JsonNode|JsonObject)\b
pattern safe-argument \bSafe\w*\(\)$
`;
