import type { Severity } from '../../../model/finding.ts';
import { words } from '../../../rules/catalogue/line.ts';
import {
  type AssignSite,
  type CallSite,
  callsNearSource,
  type Danger,
  type PropertySite,
  type Sink,
  sourceFor,
  wholeWords,
} from './sink.ts';
import { holes, isServedPath, type Source, type Value } from './value.ts';

/** Properties whose text becomes elements. */
const MARKUP = words('innerHTML outerHTML srcdoc');
/** Angular's and Lit's ways around their own escaping. */
const BYPASSES = words(`
  bypassSecurityTrustHtml bypassSecurityTrustScript bypassSecurityTrustUrl
  bypassSecurityTrustResourceUrl bypassSecurityTrustStyle unsafeHTML unsafeSVG unsafeStatic
`);
/** Methods of jQuery that take markup. */
const JQUERY_CALLS = words(`
  html append prepend after before replaceWith wrap wrapAll wrapInner appendTo prependTo
  insertAfter insertBefore parseHTML
`);
const JQUERY = /^(?:\$|jQuery|\$\w+|window\.\$|this\.\$\w+)$/;
const DOCUMENT = /(?:^|\.)document$/;
const RESPONSES = /(?:^|\.)(?:res|resp|response)$/;
/** Attributes that take an address: `javascript:` runs there. */
const ADDRESSES = words('href src action formAction formaction xlinkHref data');
/** What `v-html="x"` and `{@html x}` are written as: `_.raw_html = x`. */
const RAW_MARKUP = 'raw_html';
const TAG = /<[a-z!/]/i;

const FIX =
  'Set text with textContent, let the template engine escape it, or clean markup with a ' +
  'sanitizer (DOMPurify) just before it is used.';

/** vuln-04: cross-site scripting (CWE-79). */
export const xss: Sink = {
  hints: [
    wholeWords([
      ...MARKUP,
      ...BYPASSES,
      'insertAdjacentHTML',
      'dangerouslySetInnerHTML',
      '__html',
      'createContextualFragment',
      'setHTMLUnsafe',
      'v-html',
      RAW_MARKUP,
    ]),
    callsNearSource(
      ['send', 'end', 'write', 'html'],
      String.raw`(?:res|resp|response|c|ctx|(?<=\)[\s.]{0,40}))\s{0,20}\.?\s{0,20}(?:send|end|write|html)`,
    ),
    { words: ['document'], patterns: [/\bdocument\s{0,20}\.\s{0,20}write(?:ln)?\b/] },
    {
      words: ['html', 'append', 'prepend', 'after', 'before', 'replaceWith', 'wrap', 'parseHTML'],
      patterns: [
        /(?:\$|jQuery)/,
        /(?:\.\s{0,20}(?:html|(?:ap|pre)pend|after|before|replaceWith|wrap|parseHTML)|\?\s{0,9}['"]html['"][^\]\n]{0,40}\])\s{0,20}\(\s{0,80}[^)\s]/,
      ],
    },
    {
      words: ['$(', 'jquery('],
      patterns: [/(?:\$|jQuery)\(\s{0,20}(?:['"`]\s{0,20}<|[\w.]*location)/],
    },
    {
      words: ['body', 'new response'],
      patterns: [
        /\b(?:ctx|context|this)\.body\s{0,20}=(?!=)|\bnew Response\(/,
        /\b(?:req|request|ctx|query|params|searchParams)\b/,
      ],
    },
    {
      words: ['setAttribute', 'href', 'src', 'action'],
      patterns: [
        /\b(?:setAttribute|href|src|action|formAction)\b/,
        /\b(?:location|searchParams|useSearchParams|useParams|useRouter|document\.referrer|req|request)\b/,
      ],
    },
    {
      words: ['javascript:', 'javascript\\', 'javascript)'],
      patterns: [/\b(?:startsWith|indexOf|includes|test|exec|match|search)\(/],
    },
    {
      words: ['replace'],
      patterns: [
        /\breplace\(\s{0,20}(?:['"`/][<>"'&]['"`/]|\/\^?\(?<[^\n>]{0,12}(?:script|iframe)|\/\W?on)/,
      ],
    },
  ],
  inCall: (site) => inDom(site) ?? inResponse(site) ?? inCheck(site),
  inAssign,
  inProperty,
};

function inDom(site: CallSite): Danger | null {
  const { name, args, receiverPath } = site;
  if (name === 'insertAdjacentHTML') return markup(args[1], 1, site);
  if (name === 'createContextualFragment' || name === 'setHTMLUnsafe')
    return markup(args[0], 0, site);
  if (/^write(?:ln)?$/.test(name) && DOCUMENT.test(receiverPath ?? ''))
    return markup(args[0], 0, site);
  if (BYPASSES.has(name)) return markup(args[0], 0, site);
  if (name === 'setAttribute') return attribute(args[0]?.constant ?? '', args[1], 1, site);
  if (isJquery(site)) return selector(site);
  if (JQUERY_CALLS.has(name) && isJqueryObject(site)) return jquery(site);
  return null;
}

function isJquery(site: CallSite): boolean {
  return site.receiver === null && (site.name === '$' || site.name === 'jQuery');
}

/** `$('#id').html(...)`, `$el.append(...)`; `stream.append` and `list.before` are others. */
function isJqueryObject({ receiverPath, receiver }: CallSite): boolean {
  return receiver?.role === 'elements' || JQUERY.test(receiverPath ?? '');
}

/** Markup for jQuery: unknown values may be elements, so only text with a tag is built. */
function jquery(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value === undefined) return null;
  const strong = fromRequest(value, site);
  if (strong !== null) return severe(value, 0, strong);
  // Elements are appended; `html` nearly always gets a text, or a number: `n + 1`.
  const isText = site.name === 'html' && value.callable === null && value.role === null;
  return hasTag(value) || (isText && !isSum(value)) ? openMarkup(value, 0, site) : null;
}

/** Nothing is known of it but that numbers are added to it. */
function isSum({ pieces }: Value): boolean {
  const known = pieces?.filter((piece) => typeof piece === 'string') ?? [];
  return known.length > 0 && known.every((piece) => /^\d+$/.test(piece));
}

/** `$(location.hash)` and `$('<p>' + x)` make elements. */
function selector(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value === undefined) return null;
  const strong = fromRequest(value, site);
  const isMarkup = hasTag(value);
  if (strong !== null) {
    const isPlain = value.pieces === null;
    return isMarkup || isPlain ? severe(value, 0, strong) : null;
  }
  return isMarkup ? openMarkup(value, 0, site) : null;
}

function inAssign(site: AssignSite): Danger | null {
  const { name, value, objectPath } = site;
  if (MARKUP.has(name)) return /style/i.test(objectPath ?? '') ? null : markup(value, -1, site);
  if (name === RAW_MARKUP) return markup(value, -1, site);
  if (name === 'body' && /^(?:ctx|context|this)$/.test(objectPath ?? '')) return koaBody(site);
  if (/^on[a-z]+$/.test(name) && value.callable === null) {
    const source = fromRequest(value, site);
    if (source !== null) return severe(value, -1, source);
  }
  const isElement = site.object.role !== 'location' && !/location$/.test(objectPath ?? '');
  // Of an element it is the address of a plug-in; nearly everything else has a `data`, too.
  return isElement && name !== 'data' ? attribute(name, value, -1, site) : null;
}

function inProperty(site: PropertySite): Danger | null {
  const { name, value } = site;
  if (name === '__html' || name === 'innerHTML') return markup(value, -1, site);
  if (site.element === null) return null;
  if (name === 'srcDoc') return markup(value, -1, site);
  return attribute(name, value, -1, site);
}

/** An address that the sender chooses from its first character on. */
export function attribute(
  name: string,
  value: Value | undefined,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (value === undefined || !ADDRESSES.has(name)) return null;
  const first = value.pieces === null ? value : value.pieces[0];
  if (first === undefined || typeof first === 'string') return null;
  const source = sourceFor(first, 'redirect', site.safetyOf);
  if (!isFromOutside(source) || source.safeFor.includes('html')) return null;
  // It has no scheme, which alone makes an address a script.
  if (isServedPath(source)) return null;
  return danger('ast-xss', name === 'src' ? 'medium' : 'high', value, argument, source);
}

/**
 * Text that becomes elements: data from outside is grave. A caller's text within markup that is put
 * together here is high. Whatever else is not seen to be harmless is medium, as most of it is
 * markup that the program itself makes out of sight.
 */
export function markup(
  value: Value | undefined,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (value === undefined || value.isTrusted || value.callable !== null) return null;
  const strong = fromRequest(value, site);
  if (strong !== null) return severe(value, argument, strong);
  return openMarkup(value, argument, site);
}

function openMarkup(
  value: Value,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (!isOpenMarkup(value, site)) return null;
  const ofCaller = value.pieces !== null && holes(value).some(({ source }) => source !== null);
  return danger('ast-xss', ofCaller ? 'high' : 'medium', value, argument, value.source);
}

function isOpenMarkup(value: Value, site: Pick<PropertySite, 'safetyOf'>): boolean {
  if (value.isTrusted || value.isJson) return false;
  const parts = value.pieces === null ? [value] : holes(value);
  return parts.some((part) => {
    // What is imported is the program's own.
    if (part.isJson || part.origin !== null) return false;
    if (part.source === null) return !part.safeFor.includes('html');
    const isOperator = part.source.strength === 'operator';
    return !isOperator && sourceFor(part, 'html', site.safetyOf) !== null;
  });
}

function hasTag(value: Value): boolean {
  return value.pieces?.some((piece) => typeof piece === 'string' && TAG.test(piece)) === true;
}

/** `res.send(text)`: a page, unless the type says otherwise. */
function inResponse(site: CallSite): Danger | null {
  const { name, args, receiverPath } = site;
  if (!/^(?:html|Response|send|end|write)$/.test(name)) return null;
  const [value] = args;
  if (value === undefined || value.properties !== null || value.elements !== null) return null;
  const path = receiverPath ?? '';
  if (name === 'html' && /^(?:c|ctx|context|this)$/.test(path))
    return page(value, site, 'critical');
  if (name === 'Response' && site.isNew && site.receiver === null) {
    return isHtml(args[1]) ? page(value, site, 'critical') : null;
  }
  const isResponse = RESPONSES.test(path) || site.receiver?.role === 'page';
  if (!isResponse || !/^(?:send|end|write)$/.test(name)) return null;
  if (site.receiver?.role === 'plain') return null;
  if (name === 'send') return page(value, site, 'critical');
  return page(value, site, hasTag(value) ? 'critical' : 'high');
}

function isHtml(options: Value | undefined): boolean {
  const headers = options?.properties?.get('headers')?.properties;
  for (const [name, value] of headers ?? []) {
    if (name.toLowerCase() === 'content-type') return value.constant?.includes('html') === true;
  }
  return false;
}

/** Methods that ask a text whether it holds another one. */
const QUESTIONS = words('startsWith indexOf includes test exec match search replace');
/** `javascript:` with its colon, by itself: all that a pattern or text says it looks for. */
const SCRIPT_SCHEME = /^[\^\s(?:[\]*+\\]*javascript(?:\\s\*|\)|\s)*\\?:\)?$/i;
/** Other schemes whose addresses run scripts, within a text or pattern. */
const OTHER_SCHEMES = [/['"`(|^/]\s*vbscript/i, /['"`(|^/]\s*data(?:\\?:|\))/i];
/**
 * A tag or handler that is taken out of markup by its name. Names of properties and events begin
 * with `on` as well, so a handler counts with a blank before it or the sign of its value behind.
 */
const BLOCKED_MARKUP =
  /<[^>]{0,12}(?:script|iframe|object|embed)\b|\\s[*+]?\W{0,3}on(?:\\w|\[|\.)|^\W*on(?:\\w|\[|\.)[^=]{0,20}=/i;

/** A check or cleaning of markup that lets some of what it is made for through. */
function inCheck(site: CallSite): Danger | null {
  const { name, receiver, args } = site;
  const [first, second] = args;
  if (receiver === null || first === undefined || !QUESTIONS.has(name)) return null;
  const asked = (/^(?:test|exec)$/.test(name) ? receiver : first).constant;
  if (asked === null) return null;
  if (name === 'replace') return inCleaning(first, asked, second?.constant ?? null);
  const isHalf = SCRIPT_SCHEME.test(asked) && !OTHER_SCHEMES.every(site.isWritten);
  return isHalf ? incomplete('medium', first) : null;
}

function inCleaning(taken: Value, asked: string, by: string | null): Danger | null {
  const isPattern = taken.role === 'regex';
  if (isPattern && by === '' && BLOCKED_MARKUP.test(asked)) return incomplete('medium', taken);
  const isAll = isPattern && taken.properties?.get('flags')?.constant?.includes('g') === true;
  const isEscape = /^[<>"'&]$/.test(asked) && /^&#?\w+;$/.test(by ?? '');
  return isEscape && !isAll ? incomplete('low', taken) : null;
}

function incomplete(severity: Severity, value: Value): Danger {
  const fix =
    'Escape every place (a pattern with the flag g), allow the schemes http, https and mailto ' +
    'instead of refusing javascript: alone, and leave cleaning to a sanitizer (DOMPurify).';
  return { ...danger('ast-xss', severity, value, -1, null), sink: 'incomplete sanitizer', fix };
}

/** Text that a browser takes for a page. */
export function page(
  value: Value,
  site: Pick<PropertySite, 'safetyOf'>,
  severity: 'critical' | 'high',
): Danger | null {
  const source = fromRequest(value, site);
  // An object is sent as JSON.
  if (source === null || value.isJson || (source.isWhole && value.pieces === null)) return null;
  const found =
    severity === 'critical'
      ? severe(value, 0, source)
      : danger('ast-xss', severity, value, 0, source);
  return { ...found, sink: 'HTML page' };
}

/** Koa takes text for a page when it begins with a tag. */
function koaBody(site: AssignSite): Danger | null {
  const { value } = site;
  const start = value.pieces?.[0];
  const isMarkup = typeof start === 'string' ? /^\s*</.test(start) : true;
  if (!isMarkup || value.properties !== null || value.elements !== null) return null;
  if (site.object.role === 'plain') return null;
  const source = fromRequest(value, site);
  if (source === null || (source.mayBeObject && value.pieces === null)) return null;
  return { ...severe(value, -1, source), sink: 'HTML page' };
}

function fromRequest(value: Value, site: Pick<PropertySite, 'safetyOf'>): Source | null {
  if (value.isJson && value.pieces === null) return null;
  const source = sourceFor(value, 'html', site.safetyOf);
  return isFromOutside(source) ? source : null;
}

function isFromOutside(source: Source | null): source is Source {
  return source?.strength === 'strong' || source?.strength === 'checked';
}

/** Data from outside; where a check of unknown effect saw it, the finding is less certain. */
function severe(value: Value, argument: number, source: Source): Danger {
  return source.strength === 'strong'
    ? danger('vuln-04', 'critical', value, argument, source)
    : danger('ast-xss', 'high', value, argument, source);
}

function danger(
  id: string,
  severity: Severity,
  value: Value,
  argument: number,
  source: Source | null,
): Danger {
  return { id, severity, cwe: 'CWE-79', sink: 'HTML', fix: FIX, value, source, argument };
}
