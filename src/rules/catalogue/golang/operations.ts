/**
 * What builtins and the standard library do with values, one fact a line, in the sorts that
 * `java/operations.ts` describes. Go has these besides:
 *
 * - `static operation paths`: what methods of a text are elsewhere: the text is the first argument.
 * - `is path paths`: what a member or a call gives, by its path or as it is usually written.
 * - `counts field types`: of an object that is written with its fields this one counts.
 * - `request types`: they are data only in a function that a server calls; `answer types`: such a
 *   function has a parameter of one of them; `calls-back paths`: it is given to one of these.
 * - `script paths`: what is written there is run, where the program is an interpreter.
 */
export const golangOperations = String.raw`
known errors context log regexp slices bytes io bufio fmt strconv io/ioutil maps sync
known cmp unicode math/rand sort iter compress/gzip compress/zlib github.com/gorilla/schema
known builtin

kind builder strings.Builder bytes.Buffer
kind table sync.Map
kind list container/list.List

builder append WriteString Write WriteByte WriteRune
builder text String Bytes Text
builder clear Reset Truncate
table put Store Set Add LoadOrStore
table get Load Value Get LoadAndDelete
table remove Delete Del
list append yield PushBack PushFront
list any Front Back Value
text same String Bytes
text length Len

static upper strings.ToUpper bytes.ToUpper strings.ToTitle strings.Title
static lower strings.ToLower bytes.ToLower
static trim strings.TrimSpace bytes.TrimSpace
static same strings.Clone bytes.Clone
static trim-start strings.TrimPrefix bytes.TrimPrefix strings.TrimLeft
static trim-end strings.TrimSuffix bytes.TrimSuffix
static replace strings.ReplaceAll bytes.ReplaceAll
static replace-first strings.Replace bytes.Replace
static split strings.Split strings.SplitN bytes.Split strings.SplitSeq

function format fmt.Sprintf fmt.Appendf
function build fmt.Sprint fmt.Sprintln
function print-format fmt.Fprintf
function print fmt.Fprint fmt.Fprintln io.WriteString
function join-list strings.Join bytes.Join
function append builtin.append slices.Concat
function pattern regexp.MustCompile regexp.Compile regexp.MustCompilePOSIX regexp.CompilePOSIX
function builder bytes.NewBufferString bytes.NewBuffer
function program os/exec.Command os/exec.CommandContext
function input os/exec.Command().StdinPipe os/exec.CommandContext().StdinPipe
function number builtin.len builtin.cap builtin.copy
function error errors.New errors.Join errors.Wrap errors.Wrapf errors.WithStack fmt.Errorf
function error github.com/pkg/errors.New github.com/pkg/errors.Errorf github.com/pkg/errors.Wrap
function error github.com/pkg/errors.Wrapf github.com/pkg/errors.WithStack
function error github.com/pkg/errors.WithMessage github.com/pkg/errors.WithMessagef
function error golang.org/x/xerrors.New golang.org/x/xerrors.Errorf
function error google.golang.org/grpc/status.Error google.golang.org/grpc/status.Errorf
function error github.com/labstack/echo.NewHTTPError github.com/gofiber/fiber.NewError

guard equal EqualFold Equal
guard starts HasPrefix
guard ends HasSuffix
guard search Contains ContainsAny ContainsRune Index IndexAny IndexByte
guard found MatchString Match
guard local IsLocal ValidPath

converts strconv.Atoi strconv.ParseInt strconv.ParseUint strconv.ParseFloat strconv.ParseBool
converts time.Parse time.ParseDuration time.ParseInLocation net.ParseIP net.ParseCIDR net.ParseMAC
converts net/netip.ParseAddr net/netip.ParseAddrPort net/netip.ParsePrefix
converts github.com/google/uuid.Parse github.com/google/uuid.Validate
converts github.com/gofrs/uuid.FromString github.com/satori/go.uuid.FromString
converts go.mongodb.org/mongo-driver/bson/primitive.ObjectIDFromHex

is net/http.Request() github.com/labstack/echo.Context.Request github.com/gin-gonic/gin.Context.Request
is net/http.Request() github.com/beego/beego/server/web.Context.Request c.Request() ctx.Request()
is net/http.Request() context.Request()

counts Host net/url.URL

request net/http.Request
answer net/http.ResponseWriter
calls-back github.com/aws/aws-lambda-go/lambda.Start github.com/aws/aws-lambda-go/lambda.StartWithOptions
script os/exec.Command.Stdin os/exec.CommandContext.Stdin
script os/exec.Command.StdinPipe os/exec.CommandContext.StdinPipe

harmless int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32
harmless float64 complex64 complex128 bool time.Time time.Duration time.Month time.Weekday
harmless github.com/google/uuid.UUID github.com/gofrs/uuid.UUID net.IP net/netip.Addr
harmless net/netip.AddrPort math/big.Int github.com/shopspring/decimal.Decimal
harmless go.mongodb.org/mongo-driver/bson/primitive.ObjectID
harmless time.Location uuid.UUID netip.Addr netip.AddrPort big.Int decimal.Decimal
harmless primitive.ObjectID bson.ObjectID bson.ObjectId
textual string error any io.Reader io.ReadCloser json.RawMessage map
limits oneof alpha alphanum alphaunicode alphanumunicode numeric number uuid uuid1 uuid2 uuid3 uuid4
limits uuid5 hexadecimal ip ipv4 ipv6 boolean datetime

pattern telling-type ^[\w ]+$
pattern closed ^Prepare(?:x|Named)?(?:Context)?$
pattern closed-type Stmt$
pattern silent .
pattern failure ^[eE]rr[A-Z]|^EOF$
pattern request-name ^(?:r|request)$
pattern client RoundTrip|Transport|Client|[aA]uth(?:orize|enticate)?$|^[dD]o$|[sS]end|[sS]ign|[fF]etch
pattern context-path ^context\.
pattern context-name ^(?:\w+\.)*_?(?:ctx|[cC]ontext|\w*Ctx)(?:\(\))?$|^context\.\w+\(
pattern numeric ^(?:Read|Len|Size|Int\w*|Uint\w*|Float\w*|Bool|Count\w*|Unix\w*|Kind|Is[A-Z]\w*|Has[A-Z]\w*|Contains\w*|(?:Last)?Index\w*|Equal\w*|Compare|Match(?:String)?|Port|Unix|Before|After|len|cap)$
pattern keyed ^(?:Get|Values|Value|FormValue|Cookie|Query|Param|Header|Peek)$
pattern keyed-source (?:^|\.)(?:Query|Form|PostForm|Header|Trailer|Value|QueryParams)(?:\(\))?$
pattern keeps ^(?:String|Clone|JoinPath|ResolveReference)$
pattern claims ^(?:[iI]s|[hH]as|[cC]heck|[vV]erify|[vV]alid(?:ate)?|[aA]llow(?:ed)?|[pP]ermit|[sS]afe|[eE]nsure|[aA]ssert|[mM]atch(?:es)?|[mM]ust[bB]e|[iI]n|[cC]ontains)(?:[A-Z_]|$)|(?:Is|Valid|Allowed|Safe|Permitted)(?:[A-Z]|$)
pattern cleans ^(?:[sS]anitize|[eE]scape|[eE]ncode|[cC]lean|[pP]urify|[sS]trip(?:Tags|Html|HTML))(?:[A-Z_]|$)|(?:Sanitiz|Escap|Encod)(?:e|er|ed)(?:[A-Z_]|$)
pattern opaque ^(?:[eE]ncrypt|[hH]ash|[dD]igest|[hH]mac|[mM][dD]5|[sS](?:ha|HA)\d{1,3})(?![a-z])
pattern writes ^(?:Set|Add|Put|Append|Write|Push|Insert|With)(?=[A-Z]|$)
pattern reads-into ^Read$
pattern resolves ^(?:Clean|Abs|EvalSymlinks|Join|Rel|ResolveReference|JoinPath)$
pattern rooted ^Clean$
pattern base-name ^File[nN]ame$
pattern address ^(?:Parse|ParseRequestURI)$
pattern address-path ^net/url\.
pattern host ^(?:Hostname|Host)$
pattern one-step-path ^github\.com/(?:go-chi/chi|gorilla/mux)\.
pattern element-key ^builtin\.chan\b
`;
