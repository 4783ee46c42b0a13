import { regexText } from '../../core/regex-text.ts';
import type { Severity } from '../../model/finding.ts';
import { insertionsOf } from './expressions.ts';
import { joinContinued } from './observation.ts';

/** Names of secrets by the variables that hold them; `*` stands for all secrets. */
export type SecretVariables = ReadonlyMap<string, readonly string[]>;

/** A command of a script that sends a secret away. */
interface SentSecret {
  text: string;
  severity: Severity;
}

const SENDER =
  /\b(?:curl|wget|xh|Invoke-WebRequest|Invoke-RestMethod|iwr|irm|aria2c)\b|(?:^|[|;&(`]\s*|\bsudo\s+)(?:http|https|mail|sendmail|ssh|scp|rsync|ftp|tftp)\s/i;
/** Tools that send bytes to any listener, or in a name that is looked up. */
const RAW_SENDER =
  /(?:^|[|;&(`]\s*|\bsudo\s+)(?:nc|ncat|netcat|socat|telnet|dig|nslookup|host|ping)\s|\/dev\/(?:tcp|udp)\//i;
const CODE_SENDER =
  /\b(?:fetch|axios(?:\.\w+)?|got(?:\.\w+)?|https?\.(?:request|get)|requests\.(?:post|put|get)|urlopen|httpx\.\w+)\s*\(/;
/** What makes a secret unlike the secret that the log masks. */
const ENCODER =
  /\b(?:base64|base32|xxd|hexdump|od|rev|gzip|bzip2|zstd|openssl\s+(?:enc|base64)|ToBase64String|b64encode|hexlify|btoa)\b|\btoString\(\s*["'](?:base64|hex)["']|\b(?:sed|tr|fold|awk|cut)\s+[^|\n]*["'{]/;
const DECODES = /\b(?:base64|base32)\s+(?:-d|-D|--decode)\b/;
const AUTHORIZATION =
  /(?:-H|--header)[ =]*(["'])(?:[\w-]*(?:auth|token|key|secret|password|credential)[\w-]*)\s*:[^\n]{0,500}?\1|(?:-u|--user|--oauth2-bearer|--http-user|--http-password|--password)[ =]*(?:"[^"]*"|'[^']*'|\S+)|\bAuthorization["']?\s*[:=]\s*[^,\n}]*/gi;
const URL_HOST = /\b(https?|ftp):\/\/(?:[^\s/@"']*@)?(\[[\da-f:]+\]|[^\s/:"'`?#)$]+)/gi;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|0x[\da-f]+|\d{8,10}|\[.*\])$/i;
const LOCAL =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[^.]+$|.*\.(?:local|internal|localhost)$)/i;
/** Hosts that show anybody what they are sent, or lead to a machine at home. */
const CATCHER =
  /(?:^|\.)(?:webhook\.site|requestbin\.\w+|pipedream\.net|burpcollaborator\.net|oastify\.com|oast\.\w+|interact\.sh|dnslog\.cn|requestcatcher\.com|beeceptor\.com|canarytokens\.com|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|loca\.lt|pastebin\.com|paste\.rs|transfer\.sh|file\.io|0x0\.st|termbin\.com|workers\.dev)$/i;
const GITHUB =
  /(?:^|\.)(?:github\.com|githubusercontent\.com|ghcr\.io|ghe\.com|githubapp\.com|github\.dev)$/i;
/** Where a client shows who it is. */
const LOGIN = /^(?:login|auth|oauth2?|accounts?|sso|idp?|api|hooks?|webhooks?)(?:[.-]|$)/i;
const SECRETS_MANY = 3;

/**
 * Commands of a script of a workflow that send secrets to a host that they are hardly for. To
 * authenticate at a host, to send a secret to the service that it is named after, and an address
 * that is a secret itself are what secrets are for.
 */
export function sentSecrets(script: string, variables: SecretVariables): SentSecret[] {
  const known = new Map<string, readonly string[]>(variables);
  const encoded = new Set<string>();
  const files = new Map<string, readonly string[]>();
  const found: SentSecret[] = [];
  for (const line of joinContinued(script).split('\n')) {
    const text = line.replace(/^\s*#.*/, '');
    const secrets = secretsIn(text, known);
    const sent = [...files].filter(([file]) => sendsFile(text, file));
    for (const [, names] of sent) secrets.push(...names);
    if (secrets.length === 0) continue;
    const isEncoded =
      (ENCODER.test(text) && !DECODES.test(text)) ||
      [...encoded].some((name) => mentions(text, name));
    const severity = severityOf(text, secrets, isEncoded, known);
    if (severity !== null) found.push({ text: text.trim(), severity });
    const [, assigned] = /^\s*(?:export\s+|local\s+)?([A-Za-z_]\w*)=/.exec(text) ?? [];
    if (assigned !== undefined && severity === null) {
      known.set(assigned, secrets);
      if (isEncoded) encoded.add(assigned);
    }
    const [, file] = />>?\s*["']?([\w./~$-]+)["']?\s*$/.exec(text) ?? [];
    if (file !== undefined && !/GITHUB_|^\/dev\//.test(file)) files.set(file, secrets);
  }
  const code = codeSends(script, known);
  return code === null ? found : [...found, code];
}

function severityOf(
  text: string,
  secrets: readonly string[],
  isEncoded: boolean,
  known: SecretVariables,
): Severity | null {
  if (RAW_SENDER.test(text)) return 'high';
  if (!SENDER.test(text)) return null;
  const hosts = hostsOf(text);
  const bare = text.replace(AUTHORIZATION, '');
  const inData = secretsIn(bare, known);
  // A file that is sent is not among the secrets that stand on the line.
  if (inData.length === 0 && secretsIn(text, known).length === 0) inData.push(...secrets);
  if (secrets.includes('*') && hosts.length > 0) return 'high';
  if (hosts.some(isSuspect)) return 'high';
  const isHostToken = secrets.some((name) => /^(?:github_token|token@github)$/i.test(name));
  if (isHostToken && hosts.length > 0 && !hosts.some(({ host }) => GITHUB.test(host)))
    return 'high';
  if (inData.length === 0 || hosts.length === 0) return null;
  if (hosts.some(({ host }) => GITHUB.test(host) || LOCAL.test(host))) return null;
  if (isEncoded || new Set(inData).size >= SECRETS_MANY) return 'high';
  if (inData.every((name) => hosts.some(({ host }) => isNamedAfter(name, host)))) return null;
  return hosts.some(({ host }) => LOGIN.test(host)) ? 'medium' : 'high';
}

/** A program in another language; of what it does with a secret only the plain forms are seen. */
function codeSends(script: string, known: SecretVariables): SentSecret | null {
  if (!CODE_SENDER.test(script)) return null;
  const read =
    /\b(?:process\.env\.|os\.environ(?:\.get)?[[(]["']|os\.getenv\(["']|ENV\[["'])(\w+)/g;
  const read1 = [...script.matchAll(read)].flatMap(([, name = '']) => known.get(name) ?? []);
  const secrets = [...secretsIn(script, new Map()), ...read1];
  const hosts = hostsOf(script);
  if (secrets.length === 0 || hosts.length === 0) return null;
  if (hosts.every(({ host }) => GITHUB.test(host))) return null;
  const isGrave = secrets.includes('*') || hosts.some(isSuspect) || ENCODER.test(script);
  const line = script.split('\n').find((one) => CODE_SENDER.test(one)) ?? '';
  return isGrave ? { text: line.trim(), severity: 'high' } : null;
}

interface Host {
  scheme: string;
  host: string;
}

function hostsOf(text: string): Host[] {
  return [...text.matchAll(URL_HOST)].map(([, scheme = '', host = '']) => {
    return { scheme: scheme.toLowerCase(), host: host.toLowerCase() };
  });
}

function isSuspect({ scheme, host }: Host): boolean {
  if (LOCAL.test(host)) return false;
  return CATCHER.test(host) || ADDRESS.test(host) || scheme !== 'https';
}

/** `RENDER_KEY` and `api.render.com`. */
function isNamedAfter(secret: string, host: string): boolean {
  const labels = host.toLowerCase().split(/[.-]/).slice(0, -1);
  const words = secret.toLowerCase().split('_');
  return labels.some(
    (label) =>
      label.length > 2 &&
      words.some(
        (word) =>
          word.length > 2 && (word === label || label.startsWith(word) || word.startsWith(label)),
      ),
  );
}

/** Names of the secrets that a text inserts or reads from variables. */
function secretsIn(text: string, known: SecretVariables): string[] {
  const found: string[] = [];
  for (const { paths } of insertionsOf(text)) {
    for (const { names, isWhole } of paths) found.push(...secretOf(names, isWhole));
  }
  for (const [name, secrets] of known) if (mentions(text, name)) found.push(...secrets);
  return found;
}

/** The secrets that a path of an expression gives. */
export function secretOf(names: readonly string[], isWhole: boolean): string[] {
  const [first, second] = names;
  if (first === 'github' && second === 'token') return ['token@github'];
  if (first !== 'secrets') return [];
  if (second === undefined) return isWhole ? ['*'] : [];
  return [second];
}

function mentions(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  const own = regexText(name);
  const ways = `\\$\\{?(?:env:)?${own}\\b|%${own}%|\\$\\{\\{\\s*env\\.${own}\\b`;
  return new RegExp(ways, 'i').test(text);
}

function sendsFile(text: string, file: string): boolean {
  const at = text.indexOf(file);
  if (at === -1 || !(SENDER.test(text) || RAW_SENDER.test(text))) return false;
  return /(?:[@<=]|(?:-T|--upload-file|--post-file|cat)[ =])\s*["']?$/.test(text.slice(0, at));
}
