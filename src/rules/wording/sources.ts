import { words } from '../catalogue/line.ts';

/** Names of members and functions that give data from outside, in any language, by what it is. */
const SOURCES: readonly (readonly [noun: string, names: ReadonlySet<string>])[] = [
  [
    'request parameter',
    words(`
      args arguments FieldStorage form Form formParam formParams FormValue GET getParameter
      getParameterMap getParameterValues getQueryParameters getQueryParams
      getQueryStringParameters GetString get_argument get_arguments get_body_argument
      get_query_argument POST PostForm PostFormValue query Query queryParam QueryParam queryParams
      QueryParams query_params queryStringParameters QueryStringParameters searchParams values
    `),
  ],
  [
    'route parameter',
    words(`
      getPathParameters getPathTokens matchdict Param Params params pathParam PathParam
      PathParameter pathParameters pathParams pathVariable PathValue path_args path_params URLParam
    `),
  ],
  ['request header', words('getHeader getHeaders get_header header Header headers META')],
  ['cookie', words('Cookie cookie Cookies cookies COOKIES getCookies get_cookie')],
  [
    'uploaded file',
    words(`
      file files FILES getPart getParts getSubmittedFileName MultipartForm MultipartReader
      originalname upload
    `),
  ],
  [
    'request body',
    words(`
      body Body data get_data get_json get_media getBody getInputStream getReader json json_body
      media rawBody rfile stream
    `),
  ],
  ['page address', words('location')],
  [
    'socket data',
    words('Accept iter_bytes Read ReadMessage receive_bytes receive_json receive_text recv'),
  ],
  ['request address', words('getRequestURI getRequestURL path RequestURI url URL')],
  ['command-line argument', words('argv Args')],
  ['environment variable', words('env environ Getenv getenv')],
];

/** What parts of these are called; of the others only the whole has a name. */
const PARTS: Readonly<Record<string, string>> = {
  'request parameter': 'request parameter',
  'route parameter': 'route parameter',
  'request header': 'request header',
  cookie: 'cookie',
  'uploaded file': 'uploaded file',
  'request body': 'request body field',
  'request address': 'request parameter',
  'command-line argument': 'command-line argument',
  'environment variable': 'environment variable',
};

/** Members between a source and the name of a part: `r.URL.RawQuery.id`. */
const BETWEEN = words('first get getfirst getlist item RawQuery searchParams Value');

/** Sources that the engines describe in words, with the name in them. */
const DESCRIBED: readonly (readonly [form: RegExp, noun: string])[] = [
  [/^body of the request$/, 'request body'],
  [/^arguments of the tool$/, 'tool arguments'],
  [/^message of (.+)$/, 'message of'],
  [/^data of (.+)$/, 'data of'],
  [/^(\S+) event$/, 'event'],
];

/** Places of a part within a text, which are no names. */
const PLACES_IN_TEXT = /(?<=\.(?:slice|substr|substring|at)\()[^()]*(?=\))/g;

/** What a source is, in the terms of the field, and the name that the code has for it. */
export interface SourceWords {
  readonly noun: string;
  /** Null: the noun says it all. */
  readonly name: string | null;
}

/** What data from outside is, by how it is written: `request.getParameter(dir)`. */
export function sourceWords(written: string): SourceWords {
  const unknown = { noun: 'user input', name: written };
  const inner = /^\w+\((.+\(.*\).*)\)$/.exec(written)?.[1];
  if (inner !== undefined) return sourceWords(inner);
  const described = DESCRIBED.map(([form, noun]) => ({ noun, found: form.exec(written) }));
  const known = described.find(({ found }) => found !== null);
  if (known !== undefined) return { noun: known.noun, name: known.found?.[1] ?? null };
  // What an object is made with says nothing of the data.
  if (written.startsWith('new ')) return unknown;
  const whole = written.replace(PLACES_IN_TEXT, '');
  const segments = whole.match(/[\w$@-]+(?:\([^()]*\))?/g) ?? [];
  for (const [index, segment] of segments.entries()) {
    if (segments.length === 1 && !segment.includes('(')) break;
    const noun = SOURCES.find(([, names]) => names.has(bareName(segment)))?.[0];
    if (noun === undefined) continue;
    const part = PARTS[noun];
    const name = argumentOf(segment) ?? nextName(segments.slice(index + 1));
    return part === undefined || name === null ? { noun, name: null } : { noun: part, name };
  }
  return unknown;
}

function nextName(segments: readonly string[]): string | null {
  const next = segments.find((segment) => !BETWEEN.has(bareName(segment)) || segment.includes('('));
  return next === undefined ? null : (argumentOf(next) ?? (next.includes('(') ? null : next));
}

function bareName(segment: string): string {
  return segment.replace(/\(.*/, '');
}

/** The name that a call asks for: `FormValue(id)`, `URLParam(r, id)`; null: it has none. */
function argumentOf(segment: string): string | null {
  const given = /\((.*)\)$/.exec(segment)?.[1]?.split(',') ?? [];
  const names = given
    .map((one) => one.trim())
    .filter((one) => /^[\w$.-]{2,}$|^[a-qs-z]$/.test(one));
  return names.find((one) => !/^\d+$/.test(one)) ?? null;
}
