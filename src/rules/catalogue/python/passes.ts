import { type Package, type SanitizerLine, USES, type Use } from '../line.ts';

const PY = 'https://docs.python.org/3/library';
const NAMES: readonly Use[] = ['path', 'command', 'html', 'sql', 'key', 'regex'];

/** Functions that change what data is: others hand on what they are given. */
export const pythonCarriers: readonly Package[] = [
  {
    package: 'builtins',
    link: `${PY}/functions.html`,
    propagators: [{ exports: 'bytes.fromhex bytearray.fromhex', decodes: true }],
  },
  {
    package: 'os',
    link: `${PY}/os.path.html`,
    propagators: [
      {
        exports:
          'path.join path.abspath path.realpath path.normpath path.expanduser path.expandvars ' +
          'path.dirname path.normcase path.relpath fspath fsencode fsdecode path.split path.splitext ' +
          'path.commonpath',
      },
    ],
  },
  {
    package: 'json',
    link: `${PY}/json.html`,
    propagators: [{ exports: 'loads load', from: [0], whole: true, decodes: true }],
  },
  {
    package: 'simplejson',
    link: 'https://simplejson.readthedocs.io/en/latest/',
    propagators: [{ exports: 'loads load', from: [0], whole: true, decodes: true }],
  },
  {
    package: 'orjson',
    link: 'https://github.com/ijl/orjson#deserialize',
    propagators: [{ exports: 'loads', from: [0], whole: true, decodes: true }],
  },
  {
    package: 'ast',
    link: `${PY}/ast.html#ast.literal_eval`,
    propagators: [{ exports: 'literal_eval', from: [0], whole: true, decodes: true }],
  },
  {
    package: 'yaml',
    link: 'https://pyyaml.org/wiki/PyYAMLDocumentation',
    propagators: [
      { exports: 'safe_load safe_load_all load full_load', from: [0], whole: true, decodes: true },
    ],
  },
  {
    package: 'base64',
    link: `${PY}/base64.html`,
    propagators: [
      {
        exports:
          'b64decode urlsafe_b64decode standard_b64decode b32decode b16decode b85decode a85decode ' +
          'decodebytes decodestring',
        from: [0],
        decodes: true,
      },
    ],
  },
  {
    package: 'binascii',
    link: `${PY}/binascii.html`,
    propagators: [{ exports: 'unhexlify a2b_hex a2b_base64', from: [0], decodes: true }],
  },
  {
    package: 'zlib',
    link: `${PY}/zlib.html`,
    propagators: [{ exports: 'decompress', from: [0], decodes: true }],
  },
  {
    package: 'gzip',
    link: `${PY}/gzip.html`,
    propagators: [{ exports: 'decompress GzipFile', decodes: true }],
  },
  {
    package: 'bz2',
    link: `${PY}/bz2.html`,
    propagators: [{ exports: 'decompress', from: [0], decodes: true }],
  },
  {
    package: 'lzma',
    link: `${PY}/lzma.html`,
    propagators: [{ exports: 'decompress', from: [0], decodes: true }],
  },
  {
    package: 'codecs',
    link: `${PY}/codecs.html`,
    propagators: [{ exports: 'decode encode', from: [0], decodes: true }],
  },
  {
    package: 'urllib.parse',
    link: `${PY}/urllib.parse.html`,
    propagators: [
      { exports: 'unquote unquote_plus unquote_to_bytes', from: [0], decodes: true },
      {
        exports: 'urlparse urlsplit urldefrag parse_qs parse_qsl urlunparse urlunsplit',
        from: [0],
      },
    ],
  },
  {
    package: 'urlparse',
    link: 'https://docs.python.org/2.7/library/urlparse.html',
    propagators: [{ exports: 'urlparse urlsplit parse_qs parse_qsl', from: [0] }],
  },
  {
    package: 'html',
    link: `${PY}/html.html`,
    propagators: [{ exports: 'unescape', from: [0], decodes: true }],
  },
  {
    package: 'string',
    link: `${PY}/string.html#template-strings`,
    propagators: [{ exports: '*.substitute *.safe_substitute' }],
  },
  {
    package: 'tarfile',
    link: `${PY}/tarfile.html#tarfile.open`,
    propagators: [{ exports: 'open TarFile' }],
  },
];

/** Functions whose result is harmless for the uses named, whatever they are given. */
export const pythonProtections: readonly SanitizerLine[] = [
  {
    package: 'builtins',
    exports:
      'int float bool complex len ord hash abs round pow divmod id isinstance issubclass callable ' +
      'any all hex oct bin range type',
    safeFor: USES,
    link: `${PY}/functions.html`,
  },
  {
    package: 'hashlib',
    exports: '*.hexdigest *.digest',
    safeFor: USES,
    link: `${PY}/hashlib.html`,
  },
  { package: 'uuid', exports: 'UUID', safeFor: USES, link: `${PY}/uuid.html` },
  { package: 'decimal', exports: 'Decimal', safeFor: USES, link: `${PY}/decimal.html` },
  { package: 'fractions', exports: 'Fraction', safeFor: USES, link: `${PY}/fractions.html` },
  {
    package: 'ipaddress',
    exports: 'ip_address ip_network ip_interface IPv4Address IPv6Address IPv4Network IPv6Network',
    safeFor: NAMES,
    link: `${PY}/ipaddress.html`,
  },
  {
    package: 'datetime',
    exports: 'datetime.strptime datetime.fromisoformat date.fromisoformat datetime.fromtimestamp',
    safeFor: USES,
    link: `${PY}/datetime.html`,
  },
  {
    package: 'shlex',
    exports: 'quote join',
    safeFor: ['command'],
    link: `${PY}/shlex.html#shlex.quote`,
  },
  {
    package: 'pipes',
    exports: 'quote',
    safeFor: ['command'],
    link: 'https://docs.python.org/3.12/library/pipes.html',
  },
  {
    package: 'os',
    exports: 'path.basename',
    safeFor: ['path'],
    link: `${PY}/os.path.html#os.path.basename`,
  },
  { package: 'ntpath', exports: 'basename', safeFor: ['path'], link: `${PY}/os.path.html` },
  { package: 'posixpath', exports: 'basename', safeFor: ['path'], link: `${PY}/os.path.html` },
  {
    package: 'werkzeug.utils',
    exports: 'secure_filename',
    safeFor: NAMES,
    link: 'https://werkzeug.palletsprojects.com/en/stable/utils/#werkzeug.utils.secure_filename',
  },
  {
    package: 'werkzeug',
    exports: 'secure_filename',
    safeFor: NAMES,
    link: 'https://werkzeug.palletsprojects.com/en/stable/utils/#werkzeug.utils.secure_filename',
  },
  {
    package: 'werkzeug.security',
    exports: 'safe_join',
    safeFor: ['path'],
    link: 'https://werkzeug.palletsprojects.com/en/stable/utils/#werkzeug.security.safe_join',
  },
  {
    package: 'werkzeug.utils',
    exports: 'safe_join',
    safeFor: ['path'],
    link: 'https://werkzeug.palletsprojects.com/en/stable/utils/#werkzeug.security.safe_join',
  },
  {
    package: 'flask',
    exports: 'safe_join',
    safeFor: ['path'],
    link: 'https://flask.palletsprojects.com/en/2.0.x/api/#flask.safe_join',
  },
  {
    package: 'django.utils._os',
    exports: 'safe_join',
    safeFor: ['path'],
    link: 'https://docs.djangoproject.com/en/stable/topics/security/',
  },
  {
    package: 'django.utils.text',
    exports: 'get_valid_filename slugify',
    safeFor: NAMES,
    link: 'https://docs.djangoproject.com/en/stable/ref/utils/#django.utils.text.slugify',
  },
  {
    package: 'slugify',
    exports: 'slugify',
    safeFor: NAMES,
    link: 'https://github.com/un33k/python-slugify#readme',
  },
  {
    package: 'pathvalidate',
    exports: 'sanitize_filename',
    safeFor: ['path'],
    link: 'https://pathvalidate.readthedocs.io/en/latest/',
  },
  {
    package: 'urllib.parse',
    exports: 'quote_plus urlencode',
    safeFor: ['path', 'url', 'html', 'redirect'],
    link: `${PY}/urllib.parse.html#urllib.parse.quote_plus`,
  },
  {
    package: 'urllib.parse',
    exports: 'quote',
    safeFor: ['url', 'html'],
    link: `${PY}/urllib.parse.html#urllib.parse.quote`,
  },
  { package: 'html', exports: 'escape', safeFor: ['html'], link: `${PY}/html.html#html.escape` },
  { package: 're', exports: 'escape', safeFor: ['regex'], link: `${PY}/re.html#re.escape` },
  {
    package: 'psycopg2.sql',
    exports: 'Identifier Literal Placeholder',
    safeFor: ['sql'],
    link: 'https://www.psycopg.org/docs/sql.html#psycopg2.sql.Identifier',
  },
  {
    package: 'itsdangerous',
    exports: '*.loads *.unsign',
    safeFor: USES,
    link: 'https://itsdangerous.palletsprojects.com/en/stable/concepts/',
  },
  {
    package: 'psycopg2.extensions',
    exports: 'quote_ident',
    safeFor: ['sql'],
    link: 'https://www.psycopg.org/docs/extensions.html#psycopg2.extensions.quote_ident',
  },
  {
    package: 'pymysql.converters',
    exports: 'escape_string',
    safeFor: ['sql'],
    link: 'https://pymysql.readthedocs.io/en/latest/modules/index.html',
  },
];
