/**
 * What Python's builtins and its standard library do with values, in the table that `createKnowledge`
 * of `gates/syntax/engine` reads; `java/operations.ts` says what its sorts are. Python adds:
 *
 * - `operator sign what`: what an operator makes of values that are no numbers: a text by a `format`,
 *   the same `data`, or an object of the class with that path.
 * - `decorates path decorators`: the first parameter of a function so decorated is of that class.
 * - `registers path functions`: that of a function which is given to one of these.
 * - `serves path base methods`: that of these methods of a class with that base.
 * - `called names`: a function whose last parameters have these names gets data in the first of them.
 * - `ends paths`: functions, as they are written, after which nothing runs.
 * - `raises methods`: their guard holds behind them, as they raise an error otherwise.
 * - `trait hints`: types are hints: a value of another type may be given. `trait self`: classes are
 *   called to make objects, and methods of a class are given the object as their first argument.
 */
export const pythonOperations = String.raw`
trait hints self

kind list collections.deque queue.Queue queue.SimpleQueue multiprocessing.Queue asyncio.Queue
kind table builtins.dict collections.OrderedDict collections.defaultdict
kind builder io.StringIO

list append append add appendleft put put_nowait
list insert insert
list extend extend update extendleft
list take-index pop
list take popleft get get_nowait
list clear clear
list any popitem __next__ __aenter__ __enter__
list same copy sort reverse __iter__ split items values keys read readlines result
list number index count __len__ qsize
table put __setitem__ setdefault
table get get getlist getall get_all __getitem__
table remove pop
table clear clear
table extend update
table any values
table keys keys
table entries items
table same copy
table number __len__ __contains__
builder append write
builder text getvalue read
text upper upper
text lower lower casefold
text trim strip lstrip rstrip
text same encode decode zfill ljust rjust center expandtabs title capitalize swapcase __str__
text same removeprefix removesuffix splitlines format_map translate
text length __len__ count
text position find index rfind rindex
text replace replace
text split split rsplit partition rpartition
text braces format
text join join
any same __enter__ __aenter__

operator % format
operator / pathlib.Path
operator * data
operator | data
operator & data
operator @ data

function member builtins.getattr
function module builtins.__import__ importlib.import_module importlib.__import__
function first-element builtins.next builtins.min builtins.max builtins.anext
function map builtins.map builtins.filter multiprocessing.pool.Pool().map
function enumerate builtins.enumerate
function zip builtins.zip
function replace re.sub re.subn
function start shlex.split
function same functools.partial builtins.staticmethod builtins.classmethod builtins.iter
function same asyncio.create_task asyncio.ensure_future asyncio.wait_for asyncio.shield
function list asyncio.gather
function copy builtins.list builtins.tuple builtins.set builtins.frozenset builtins.sorted
function copy builtins.reversed
function first builtins.str copy.copy copy.deepcopy
function pattern re.compile
function number builtins.int
function length builtins.len

guard plain-text isalnum isdigit isalpha isdecimal isnumeric isidentifier
guard starts startswith
guard ends endswith
guard matches fullmatch
guard begins match
guard finds search
guard every all
guard some any
guard under is_relative_to relative_to
guard host-of url_has_allowed_host_and_scheme is_safe_url

converts int float uuid.UUID UUID Decimal decimal.Decimal ipaddress.ip_address
converts ipaddress.ip_network ipaddress.IPv4Address ipaddress.IPv6Address
converts datetime.date.fromisoformat datetime.datetime.fromisoformat date.fromisoformat
converts datetime.strptime datetime.datetime.strptime datetime.fromisoformat
raises relative_to
ends abort flask.abort bottle.abort sys.exit exit quit os._exit os.abort self.fail self.abort
ends self.send_error_and_exit pytest.fail

harmless int float bool complex UUID UUID1 UUID3 UUID4 UUID5 date datetime time timedelta Decimal
harmless Literal IPv4Address IPv6Address PositiveInt PositiveFloat NonNegativeInt NonNegativeFloat
harmless NegativeInt NegativeFloat conint confloat NoneType None Fraction
textual str bytes Any dict Dict list List set Set Form Query Body Header Cookie Path HttpUrl AnyUrl
textual AnyHttpUrl SecretStr Json EmailStr Union Sequence Iterable Tuple tuple Mapping object

route route get post put patch delete head options api_route websocket trace api_view
decorates django.http.HttpRequest login_required csrf_exempt require_GET require_POST require_safe
decorates django.http.HttpRequest require_http_methods permission_required user_passes_test
decorates django.http.HttpRequest staff_member_required never_cache cache_page xframe_options_exempt
decorates rest_framework.request.Request api_view
decorates pyramid.request.Request view_config
registers django.http.HttpRequest django.urls.path django.urls.re_path django.conf.urls.url
registers aiohttp.web.Request aiohttp.web.get aiohttp.web.post aiohttp.web.put aiohttp.web.patch
registers aiohttp.web.Request aiohttp.web.delete aiohttp.web.route aiohttp.web.view
registers aiohttp.web.Request add_get add_post add_put add_patch add_delete
registers starlette.requests.Request starlette.routing.Route Route
registers sanic.request.Request add_route
registers pyramid.request.Request add_view
serves django.http.HttpRequest View get post put patch delete head options dispatch
serves django.http.HttpRequest TemplateView get post put patch delete head options dispatch
serves rest_framework.request.Request APIView get post put patch delete
serves rest_framework.request.Request ViewSet list create retrieve update destroy partial_update
serves sanic.request.Request HTTPMethodView get post put patch delete
serves starlette.requests.Request HTTPEndpoint get post put patch delete
called event context
called environ start_response

pattern numeric ^(?:is[a-z]+|count|find|index|rfind|rindex|startswith|endswith|__len__|__contains__|has_\w+|exists|tell|seek|fileno|hexdigest)$
pattern number-name ^$
pattern constant ^[A-Z][A-Z\d]+(?:_[A-Z\d]+)*$
pattern keyed ^(?:get|pop|getlist|getall|get_all|getfirst|getvalue|getone|setdefault|get_argument|getunicode|getheader)$
pattern keeps ^(?:strip|decode|encode|lower|read|result)$
pattern invokes ^__call__$
pattern typed-by ^(?:type|cast)$
pattern claims ^_*(?:is|has|check|verify|validate|valid|allowed?|permit|safe|ensure|assert|whitelisted|match(?:es)?|url_has)(?:_|$)|_(?:is|valid|allowed|safe|ok|permitted)(?:_|$)|^(?:is|check|validate|verify)[A-Z]
pattern cleans ^(?:sanitize|sanitise|escape|clean|purify|strip_tags)(?:_|$)|_(?:escape|escaped|sanitized|sanitize|clean)$
pattern opaque ^(?:encrypt|hash|digest|hmac|md5|sha\d{1,3})(?![a-z])
pattern writes ^(?:append|add|insert|extend|update|appendleft|write|writelines|setdefault|put|set|push)$
pattern file ^pathlib\b
pattern resolves ^(?:realpath|abspath|normpath|resolve)$
pattern last-name ^(?:name|stem|suffix)$
pattern address ^url(?:parse|split)$
pattern address-path ^url
pattern host ^(?:hostname|netloc)$
pattern stream ^io\.|\.(?:files|FILES)(?:\.[\w-]+)?$|\.(?:stream|rfile)$|^\w+\.file$
pattern checked-name ^(?:cleaned_data|validated_data|kwargs)$
pattern ancestors \.parents$
pattern common-path \.common(?:path|prefix)\(\)$
pattern one-route ^route$
pattern hole <(?:(?<before>\w+)(?:\([^)]*\))?:)?(?<name>\w+)>|\{(?<other>\w+)(?::(?<after>\w+))?\}
pattern hole-number ^(?:int|float|uuid|any)$
pattern hole-path ^path$
pattern given ^(?:Depends|Security)$
pattern given-type \b(?:Depends|Security|Request|Response|WebSocket|BackgroundTasks|Session|AsyncSession)$
pattern request-name ^(?:self|cls|request|req|websocket|ws)$
pattern upload UploadFile$
pattern text-verb ^[sra]$
pattern telling .
pattern whole ^(?:dict|Dict|Any)$
`;
