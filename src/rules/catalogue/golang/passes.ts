import { type Package, type PropagatorLine, type SanitizerLine, USES, type Use } from '../line.ts';

const DOC = 'https://pkg.go.dev';
const NAMES: readonly Use[] = ['path', 'command', 'html', 'sql', 'key', 'regex'];

/**
 * A format, its texts or streams of them: what is parsed is what the sender made, whole. That a
 * decoder has the data of its stream needs no line.
 */
function format(name: string, link: string, has: 'both' | 'texts' | 'streams' = 'both'): Package {
  const text: PropagatorLine = { exports: 'Unmarshal', from: [0], into: 1, whole: true };
  const stream: PropagatorLine = {
    exports: 'NewDecoder.Decode',
    from: [-1],
    into: 0,
    whole: true,
  };
  const propagators = has === 'texts' ? [text] : has === 'streams' ? [stream] : [text, stream];
  return { package: name, link, propagators };
}

/**
 * Functions that do more than hand on what they are given, as those do of which nothing is known:
 * they decode, resolve paths, or fill something else than what is given by its address.
 */
export const golangCarriers: readonly Package[] = [
  {
    package: 'strings',
    link: `${DOC}/strings`,
    propagators: [
      {
        exports:
          'Trim TrimRight TrimFunc TrimLeftFunc TrimRightFunc Fields FieldsFunc Repeat NewReader ' +
          'Cut CutPrefix CutSuffix SplitAfter ToValidUTF8',
        from: [0],
      },
    ],
  },
  {
    package: 'bytes',
    link: `${DOC}/bytes`,
    propagators: [{ exports: 'Buffer.ReadFrom', from: [0], into: -1 }],
  },
  {
    package: 'io',
    link: `${DOC}/io`,
    propagators: [
      { exports: 'Copy CopyN CopyBuffer', from: [1], into: 0 },
      { exports: 'ReadFull ReadAtLeast', from: [0], into: 1 },
    ],
  },
  {
    package: 'path/filepath',
    link: `${DOC}/path/filepath`,
    propagators: [
      { exports: 'Join Rel' },
      { exports: 'Clean Abs FromSlash ToSlash Dir EvalSymlinks Split', from: [0] },
    ],
  },
  {
    package: 'path',
    link: `${DOC}/path`,
    propagators: [{ exports: 'Join' }, { exports: 'Clean Dir Split', from: [0] }],
  },
  {
    package: 'net/url',
    link: `${DOC}/net/url`,
    propagators: [
      { exports: 'Parse ParseRequestURI', from: [0] },
      { exports: 'QueryUnescape PathUnescape', from: [0], decodes: true },
      { exports: 'ParseQuery', from: [0], whole: true },
      { exports: 'JoinPath', from: [0] },
    ],
  },
  {
    package: 'encoding/base64',
    link: `${DOC}/encoding/base64#Encoding.DecodeString`,
    propagators: [
      {
        exports:
          'StdEncoding.DecodeString URLEncoding.DecodeString RawStdEncoding.DecodeString ' +
          'RawURLEncoding.DecodeString',
        from: [0],
        decodes: true,
      },
    ],
  },
  {
    package: 'encoding/hex',
    link: `${DOC}/encoding/hex#DecodeString`,
    propagators: [{ exports: 'DecodeString', from: [0], decodes: true }],
  },
  format('encoding/json', `${DOC}/encoding/json`),
  format('encoding/xml', `${DOC}/encoding/xml`),
  format('encoding/gob', `${DOC}/encoding/gob`, 'streams'),
  format('gopkg.in/yaml', `${DOC}/gopkg.in/yaml.v3`),
  format('sigs.k8s.io/yaml', `${DOC}/sigs.k8s.io/yaml`, 'texts'),
  format('github.com/goccy/go-yaml', `${DOC}/github.com/goccy/go-yaml`),
  format('github.com/goccy/go-json', `${DOC}/github.com/goccy/go-json`),
  format('github.com/json-iterator/go', `${DOC}/github.com/json-iterator/go`),
  format('github.com/BurntSushi/toml', `${DOC}/github.com/BurntSushi/toml`),
  format('github.com/vmihailenco/msgpack', `${DOC}/github.com/vmihailenco/msgpack/v5`),
  {
    package: 'html',
    link: `${DOC}/html#UnescapeString`,
    propagators: [{ exports: 'UnescapeString', from: [0], decodes: true }],
  },
  {
    package: 'builtin',
    link: `${DOC}/builtin#copy`,
    propagators: [{ exports: 'copy', from: [1], into: 0 }],
  },
  {
    package: 'github.com/mitchellh/mapstructure',
    link: `${DOC}/github.com/mitchellh/mapstructure#Decode`,
    propagators: [{ exports: 'Decode WeakDecode', from: [0], into: 1, whole: true }],
  },
  {
    package: 'github.com/go-chi/render',
    link: `${DOC}/github.com/go-chi/render#DecodeJSON`,
    propagators: [{ exports: 'DecodeJSON DecodeXML', from: [0], into: 1, whole: true }],
  },
];

function safe(
  name: string,
  exports: string,
  safeFor: readonly Use[],
  link = `${DOC}/${name}`,
): SanitizerLine {
  return { package: name, exports, safeFor, link };
}

const DIGESTS = 'Sum Sum224 Sum256 Sum384 Sum512';

/** Functions whose result is safe for some uses. */
export const golangProtections: readonly SanitizerLine[] = [
  safe('path/filepath', 'Base Ext', ['path']),
  safe('path', 'Base Ext', ['path']),
  safe('github.com/cyphar/filepath-securejoin', 'SecureJoin', ['path']),
  safe('net/url', 'PathEscape QueryEscape', ['path', 'url', 'redirect', 'html', 'command']),
  safe('strconv', 'Atoi ParseInt ParseUint ParseFloat ParseBool ParseComplex Itoa FormatInt', USES),
  safe('github.com/google/uuid', 'Parse MustParse ParseBytes', USES),
  safe('github.com/gofrs/uuid', 'FromString FromStringOrNil Must', USES),
  safe('time', 'Parse ParseDuration ParseInLocation', USES),
  safe('net', 'ParseIP ParseMAC ParseCIDR', NAMES),
  safe('net/netip', 'ParseAddr MustParseAddr ParseAddrPort ParsePrefix', NAMES),
  safe('go.mongodb.org/mongo-driver/bson/primitive', 'ObjectIDFromHex', USES),
  safe('html', 'EscapeString', ['html']),
  safe('html/template', 'HTMLEscapeString JSEscapeString URLQueryEscaper', ['html']),
  safe('text/template', 'HTMLEscapeString JSEscapeString URLQueryEscaper', ['html']),
  safe('github.com/microcosm-cc/bluemonday', '*.Sanitize *.SanitizeBytes', ['html']),
  safe('encoding/hex', 'EncodeToString Dump', USES),
  safe(
    'encoding/base64',
    'URLEncoding.EncodeToString RawURLEncoding.EncodeToString',
    USES,
    `${DOC}/encoding/base64#Encoding.EncodeToString`,
  ),
  safe(
    'encoding/base32',
    'StdEncoding.EncodeToString HexEncoding.EncodeToString',
    USES,
    `${DOC}/encoding/base32#Encoding.EncodeToString`,
  ),
  safe('crypto/sha256', DIGESTS, USES),
  safe('crypto/sha512', DIGESTS, USES),
  safe('crypto/sha1', DIGESTS, USES),
  safe('crypto/md5', DIGESTS, USES),
  safe('hash/crc32', 'ChecksumIEEE Checksum', USES),
  safe('github.com/gosimple/slug', 'Make MakeLang', USES),
  safe('al.essio.dev/pkg/shellescape', 'Quote QuoteCommand', ['command']),
  safe('github.com/alessio/shellescape', 'Quote QuoteCommand', ['command']),
  safe('gopkg.in/alessio/shellescape', 'Quote QuoteCommand', ['command']),
  safe('github.com/kballard/go-shellquote', 'Join', ['command']),
  safe('mvdan.cc/sh/syntax', 'Quote', ['command'], `${DOC}/mvdan.cc/sh/v3/syntax#Quote`),
  safe('github.com/lib/pq', 'QuoteIdentifier QuoteLiteral', ['sql']),
  safe(
    'github.com/jackc/pgx',
    'Identifier.Sanitize',
    ['sql'],
    `${DOC}/github.com/jackc/pgx/v5#Identifier`,
  ),
  safe('unicode/utf8', 'RuneCountInString ValidString', USES),
];
