import { regexText } from '../../core/regex-text.ts';
import { FETCHES } from './limits.ts';
import { joinContinued } from './observation.ts';

/** A place where code is fetched and run; offsets of the text. */
export interface FetchedRun {
  start: number;
  end: number;
}

/** Words without which nothing is fetched; each expression below asks for one of them. */
const FETCH_WORD =
  /\b(?:curl|wget|aria2c|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString|DownloadFile|DownloadData|Start-BitsTransfer|certutil|bitsadmin|mshta|regsvr32|rundll32|urlopen|URLopener|urlretrieve|requests\s*\.|httpx|urllib3?|fetch|axios|got|undici|https?(?:["']\))?\s*\.\s*(?:get|request)|__import__|pipx|uv|URI|Net::HTTP|open-uri|LWP|HTTP::Tiny|file_get_contents|curl_exec|lwp-request|pip3?|npm|npx|pnpm|bunx|uvx|yarn|deno|reqwest|ureq|minreq|attohttpc|OpenURI|HTTParty|Faraday|Kernel\.open)\b|\brequest(?:\.get)?\s*\(|\b(?:get|open|import)\s*(?:\(\s*)?["'`]https?:/i;
/** An instruction of a Dockerfile; in small letters it is a word of most texts. */
const ADD = /\bADD\b/;

/** Whether a text holds a word without which nothing is fetched. */
export function mayFetch(text: string): boolean {
  return FETCH_WORD.test(text) || ADD.test(text);
}

/**
 * Places where a text fetches code from elsewhere and runs it: in shells, PowerShell, Python,
 * Node, Ruby, Perl, PHP and Rust. A file that is downloaded and run counts unless its hash or
 * signature is checked in between. Work is linear in the text. `isCut`: the text has more downloads
 * than are followed (FETCHES.DOWNLOADS_MAX), and the rest of them may be run.
 */
export function fetchedRuns(text: string): Followed {
  const found: FetchedRun[] = [];
  let isCut = false;
  const { PIECE_CHARS_MAX, REACH_CHARS } = FETCHES;
  for (let from = 0; from < text.length; from += PIECE_CHARS_MAX - REACH_CHARS) {
    const raw = text.slice(from, from + PIECE_CHARS_MAX);
    if (mayFetch(raw)) {
      const piece = inPiece(raw);
      isCut ||= piece.isCut;
      for (const { start, end } of piece.found)
        found.push({ start: from + start, end: from + end });
    }
    if (from + PIECE_CHARS_MAX >= text.length) break;
  }
  return { found: firstOfEach(found), isCut };
}

/** Of places that overlap the first, and of one line one. */
function firstOfEach(found: FetchedRun[]): FetchedRun[] {
  const kept: FetchedRun[] = [];
  for (const one of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || one.start >= last.end) kept.push(one);
  }
  return kept;
}

function inPiece(raw: string): Followed {
  // Lists of arguments read like commands, and nothing in a comment runs.
  const text = withPlainUrls(withoutComments(joinContinued(raw))).replace(
    /(["'])\s*,\s*["']/g,
    (all) => {
      return ' '.repeat(all.length);
    },
  );
  const found: FetchedRun[] = [];
  for (const expression of SHELL_FETCH.test(text) ? [...SHELLS, ...DIRECT] : DIRECT) {
    for (const match of text.matchAll(expression)) {
      found.push({ start: match.index, end: match.index + match[0].length });
    }
  }
  const followed = [fileRuns(text), variableRuns(text), callbacks(text)];
  found.push(...followed.flatMap((one) => one.found), ...installs(text));
  return { found, isCut: followed.some((one) => one.isCut) };
}

/** Signs of a shell in the quotes of an address end no command. */
function withPlainUrls(text: string): string {
  return text.replace(/(["'])https?:\/\/[^\s"']*\1/g, (url) => url.replace(/[;&|]/g, '_'));
}

/**
 * Comments on lines of their own become blanks; `#!`, `//go:generate` and `//usr/bin/curl`, which
 * is a path, stay.
 */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*(?:#(?!!)|\/\/(?!go:generate|[\w.-]+\/))[^\n]*/gm, (line) =>
    ' '.repeat(line.length),
  );
}

const REST = `(?:[^\\n;&|]|&(?=[\\w=%]))`;
const FETCH = String.raw`\b(?:curl(?:\.exe)?|wget(?:\.exe)?|aria2c|lwp-request|fetch\s+-\w*o\s*-)\s${REST}{0,${FETCHES.COMMAND_CHARS_MAX}}?`;
const PREFIX = String.raw`(?:(?:sudo|doas|env|nohup|time|timeout|nice|setsid|stdbuf|exec|command|busybox|xargs)\s+(?:-\S+\s+|\w+=\S*\s+|\d[\d.]*[smhd]?\s+)*)*(?:/(?:usr/)?(?:local/)?bin/)?`;
const SHELL = `(?:ba|z|da|mk|k|a|fi|tc|c)?sh`;
/** Interpreters that read the program from their input only without one in their arguments. */
const OTHER = String.raw`(?:python[\d.]*|node|nodejs|perl|ruby|php|pwsh|powershell(?:\.exe)?|deno|bun|tclsh|lua)(?=\s*(?:-(?:\s|$)|[;&|)"'\x60\n]|$|<|-NoP\w*|-Command\s+-))`;
const THROUGH = String.raw`(?:\|\s*(?:tee|gunzip|zcat|gzip|base64|tr|sed|xz|bunzip2|openssl|awk|grep|cat|head|tail|iconv|dos2unix|envsubst|jq)\b[^\n|;]{0,200}){0,5}`;
const CALLS = String.raw`(?:urlopen|requests\s*\.\s*(?:get|post)|httpx\s*\.\s*get|urllib3?\s*\.[\w.\s]*request|URLopener|__import__\(\s*[\x22\x27](?:requests|httpx|urllib[\w.]*)[\x22\x27]\s*\)[\w.]{0,40}\.(?:get|post|urlopen|request))\s*\(`;
const NODE_FETCH = String.raw`(?:\bfetch|\baxios(?:\.\w+)?|\bgot(?:\.\w+)?|\bundici\.request|\bhttps?(?:[\x22\x27]\))?\.(?:get|request)|\brequest(?:\.get)?)\s*\(`;
const NODE_RUN = String.raw`(?:\beval|\b(?:new\s+)?(?:Async)?Function|\bvm\.\w+|\brunIn\w*Context|\bnew\s+(?:vm\.)?Script|\bmodule\._compile|\b_compile)\s*\(`;
const PS_FETCH = String.raw`(?:DownloadString|DownloadData|Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|\bcurl\b|\bwget\b)`;
const WIDE = '[^\\n]{0,300}?';

/** Commands without which none of the expressions of shells matches. */
const SHELL_FETCH = /\b(?:curl|wget|aria2c|lwp-request|fetch\s+-)/;
const SHELLS: readonly RegExp[] = [
  // curl u | sh, wget -qO- u | sudo bash -s -- x, curl u | base64 -d | python3 -
  new RegExp(
    `${FETCH}(?:;?\\s*[)}]\\s*)?${THROUGH}\\|&?\\s*(?:[({]\\s*)?["']?${PREFIX}(?:${SHELL}\\b(?![\\w./-]*=)|\\$\\{?(?:SHELL|BASH)\\b|${OTHER})`,
    'g',
  ),
  // bash <(curl u), sh -c "$(curl u)", eval `wget -qO- u`, source <(curl u), python -c "$(curl u)"
  new RegExp(
    `(?:\\b${SHELL}|\\beval|\\bsource|(?<=^|[\\s;&|(])\\.|\\bpython[\\d.]*|\\bnode|\\bperl|\\bruby|\\bphp|\\bexec)\\s+(?:-[\\w-]+\\s+){0,5}(?:<<<\\s*)?["']?(?:<\\s?\\(|\\$\\(|\`)\\s*${PREFIX}${FETCH}(?:\\)|\`|$)`,
    'gm',
  ),
  new RegExp(`(?:^[ \\t]*|[;&|]\\s?)["']?(?:\\$\\(\\s*${FETCH}\\)|\`\\s*${FETCH}\`)`, 'gm'),
  // sh <<< "$(curl u)", xargs
  new RegExp(
    `\\b${SHELL}\\s+(?:-\\w+\\s+)*(?:/dev/(?:stdin|fd/0)\\s*)?<\\s*<\\s*\\(\\s*${FETCH}`,
    'g',
  ),
];

const DIRECT: readonly RegExp[] = [
  // PowerShell
  new RegExp(`${PS_FETCH}${WIDE}\\|\\s*(?:iex\\b|Invoke-Expression\\b|&|powershell|pwsh)`, 'gi'),
  new RegExp(
    `(?:(?:\\biex\\b|\\bInvoke-Expression\\b)\\s*[-(&"'$]|\\[scriptblock\\]::Create)${WIDE}${PS_FETCH}`,
    'gi',
  ),
  new RegExp(
    `&\\s*\\(\\s*(?:\\[scriptblock\\]::Create)?${WIDE}(?:DownloadString|\\biwr\\b|\\birm\\b)`,
    'gi',
  ),
  /\bmshta(?:\.exe)?\s+["']?https?:[^\n]*|\bregsvr32(?:\.exe)?\s[^\n]{0,100}\/i:https?:[^\n]*|\brundll32(?:\.exe)?\s[^\n]{0,100}https?:[^\n]*/gi,
  // Python
  new RegExp(
    `(?<![.\\w])(?:exec|eval|compile|(?:marshal|pickle|dill|cloudpickle)\\.loads)\\s*\\(${WIDE}${CALLS}`,
    'g',
  ),
  new RegExp(`\\b(?:os\\.system|os\\.popen|subprocess\\.\\w+)\\s*\\(${WIDE}${CALLS}`, 'g'),
  // Node
  new RegExp(`${NODE_RUN}[^\\n;]{0,300}?${NODE_FETCH}`, 'g'),
  new RegExp(
    `\\b(?:exec|execSync|spawn|spawnSync)\\s*\\(\\s*(?:await\\s|\\(\\s*await\\s)[^\\n;]{0,200}?${NODE_FETCH}`,
    'g',
  ),
  /\bimport\s*(?:\(\s*)?["'`]https?:\/\/(?!deno\.land\/|esm\.sh\/|jsr\.io\/|cdn\.jsdelivr\.net\/|unpkg\.com\/)[^"'`\n]*["'`]\s*\)/g,
  // Ruby, Perl, PHP
  /\b(?:eval|instance_eval|class_eval|system|exec)[\s(]+(?:URI\s*\.\s*open|URI\s*\(|open\s*\(\s*["']https?:|Net::HTTP|OpenURI|Kernel\.open|HTTParty\.get|Faraday\.get)[^\n]*/g,
  /\beval[\s({]+[^\n;]{0,100}?(?:LWP::Simple|LWP::UserAgent|HTTP::Tiny|(?<![\w>])get\s*(?:\(\s*)?["']https?:)[^\n]*/g,
  /\b(?:eval|assert|system|shell_exec|passthru)\s*\([\s"'?>.]*(?:file_get_contents|curl_exec)\s*\([^\n]*/g,
  // node-gyp runs `<!(...)` when it is configured.
  /<!@?\(\s*[^)\n]{0,200}\b(?:curl|wget)\b[^)\n]*/g,
  // Rust and Go: one program that fetches, another that runs.
  /\bCommand::new\(\s*"(?:curl|wget)"[\s\S]{0,1000}?\bCommand::new\(\s*(?:"(?:\/bin\/)?(?:ba|da|z)?sh|"python3?|"node|"perl|&?\w*(?:path|script|file|out|bin)\w*)/g,
  /\b(?:reqwest|ureq|minreq|attohttpc)::[\s\S]{0,1000}?\bCommand::new\(\s*(?:"(?:\/bin\/)?(?:ba|da|z)?sh|"python3?|"[^"\n]*\/[^"\n]*"|&?\w*(?:path|script|file|out|bin)\w*)/g,
  /\bhttp\.Get\([\s\S]{0,1000}?\bexec\.Command\(\s*(?:"(?:\/bin\/)?(?:ba)?sh"|"python3?"|\w*(?:path|script|file|name|bin)\w*)/gi,
];

const VERIFIED =
  /\b(?:sha\d+(?:sum)?|shasum|md5sum|gpg2?\s[^\n]*--verify|gpgv|cosign\s+verify|minisign|openssl\s+dgst|Get-FileHash|slsa-verifier|attestation\s+verify|hashlib|createHash|checksum|integrity)\b/i;

/** How far the download may stand behind the name of the file that it is written to. */
const NEAR_CHARS = 200;
/** Files of one command that are looked for. */
const FILES_OF_COMMAND_MAX = 4;

/** Commands that put a download into a file; the groups name it. */
const DOWNLOADS: readonly RegExp[] = [
  new RegExp(`\\b(?:curl|wget|aria2c)(?:\\.exe)?\\s${REST}{0,${FETCHES.COMMAND_CHARS_MAX}}`, 'g'),
  /\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|Start-BitsTransfer)\b[^\n;|]{0,400}?-(?:OutFile|o|Destination)\s+(["']?[^\s"';)]+)/gi,
  /\bDownloadFile\(\s{0,300}[^\s,)][^\n,)]{0,299}?(?:,|\s{3})\s{0,60}["']?([^\s"'),]+)\s{0,60}["']?\)/gi,
  /\bcertutil(?:\.exe)?\s[^\n&|;]{0,200}-urlcache[^\n&|;]{0,300}?\s([^\s&|;]+)\s*(?=$|[&|;\n])/gim,
  /\bbitsadmin(?:\.exe)?\s[^\n&|;]{0,400}?\shttps?:\S+\s+([^\s&|;]+)/gi,
  /\burlretrieve\(\s{0,300}[^\s,][^\n,]{0,299}?(?:,|\s{3})\s{0,60}["']?([^\s"'),]+)/g,
  /\bADD\s+(?:--\S+\s+)*https?:\S+\s+(\S+)/g,
  /\b(?:writeFileSync|writeFile|createWriteStream)\(\s*["'`]?([^\s"'`),]+)/g,
  /\bopen\(\s*["']?([^\s"'),]+)(?:["']?\s*,\s*["']|\s{3,})w/g,
  /\bFile\.write\(?\s*["']?([^\s"'),]+)/g,
];
/** Expressions from this index on write any data: something must have been fetched before. */
const WRITES = 7;
const FETCHED_BEFORE = new RegExp(
  `${NODE_FETCH}|${CALLS}|\\bURI\\.open|\\bNet::HTTP|\\burlopen`,
  'i',
);

/** Downloads of one piece that were followed; `isCut`: it has more. */
interface Followed {
  found: FetchedRun[];
  isCut: boolean;
}

/** `curl -o f u && sh f`, `wget u; chmod +x f; ./f`, also with the name in a variable. */
function fileRuns(text: string): Followed {
  const found: FetchedRun[] = [];
  let names: ReadonlyMap<string, string> | null = null;
  let count = 0;
  for (const [index, expression] of DOWNLOADS.entries()) {
    for (const match of text.matchAll(expression)) {
      count += 1;
      if (count > FETCHES.DOWNLOADS_MAX) return { found, isCut: true };
      const start = match.index;
      const end = start + match[0].length;
      const isWrite = index >= WRITES;
      if (
        isWrite &&
        !FETCHED_BEFORE.test(text.slice(Math.max(0, start - FETCHES.REACH_CHARS), end + NEAR_CHARS))
      )
        continue;
      const files =
        match[1] === undefined ? outputsOf(text.slice(start, end + 200), text, end) : [match[1]];
      const rest = text.slice(end, end + FETCHES.REACH_CHARS);
      for (const file of files.slice(0, FILES_OF_COMMAND_MAX)) {
        names ??= variablesOf(text);
        const run = runOf(rest, file, names);
        if (run === null || VERIFIED.test(rest.slice(0, run.at))) continue;
        found.push({ start, end: end + run.end });
        break;
      }
    }
  }
  return { found, isCut: false };
}

/** `F=/tmp/x.sh`: values by the name of the variable. */
function variablesOf(text: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(
    /(?:^|[\s;&|("'])\$?([A-Za-z_]\w*)\s?=\s?["']?([\w./~${}:\\-]+)["']?(?=$|[\s;&|)"'])/gm,
  )) {
    names.set(name, value);
  }
  return names;
}

/** Where curl and wget write to. */
function outputsOf(command: string, text: string, end: number): string[] {
  const files: string[] = [];
  const behind = text.slice(end, end + 200);
  const own = command.split(/[\n;]|&&|\|\|/, 1)[0] ?? '';
  const option =
    /\s(?:-[a-zA-Z]*[oO]|--output(?:-document)?|--out)(?:[ =]\s*|(?=["'$/.]))["']?([^\s"'|;&)]+)/g;
  for (const [, name = ''] of own.matchAll(option))
    if (name !== '-' && !/^https?:/.test(name)) files.push(name);
  const redirect =
    /(?<!\d)>{1,2}\s*["']?([^\s"'|;&)>]+)/.exec(own)?.[1] ??
    /^\s*>{1,2}\s*["']?([^\s"'|;&)>]+)/.exec(behind)?.[1];
  if (redirect !== undefined && !redirect.startsWith('/dev/')) files.push(redirect);
  const tee = /^\s*\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?["']?([^\s"'|;&)>]+)/.exec(behind)?.[1];
  if (tee !== undefined) files.push(tee);
  const isNamedByUrl =
    /^(?:wget|aria2c)/.test(own) ||
    /\s(?:-[a-zA-Z]*O[a-zA-Z]*|--remote-name(?:-all)?)(?=\s|$)/.test(own);
  if (files.length === 0 && isNamedByUrl) {
    for (const [, name = ''] of own.matchAll(/https?:\/\/[^\s"'?#]*\/([^\s"'/?#]+)/g))
      files.push(name);
  }
  return files;
}

/** Where a file is run; null: it is not. */
function runOf(rest: string, file: string, names: ReadonlyMap<string, string>) {
  const spellings = new Set([file]);
  const bare = /^\$\{?(?:env:)?(\w+)\}?$/.exec(file)?.[1];
  const word = bare ?? (names.has(file) || /^[A-Za-z_]\w*$/.test(file) ? file : undefined);
  if (word !== undefined) {
    for (const one of [`$${word}`, `\${${word}}`]) spellings.add(one);
    const value = names.get(word);
    if (value !== undefined) spellings.add(value);
  }
  for (const [name, value] of names) {
    if (value !== file) continue;
    for (const one of [`$${name}`, `\${${name}}`, name]) spellings.add(one);
  }
  const last = file.slice(file.lastIndexOf('/') + 1);
  // `cd /tmp && ./x.sh` behind a download to /tmp/x.sh.
  if (file.includes('/') && last.length > 2 && !last.includes('$')) spellings.add(`./${last}`);
  const plain = [...spellings].map((one) => regexText(one.replace(/^\.\//, '')));
  const name = `["'\`]?(?:\\./|\\.\\\\)?(?:${plain.join('|')})["'\`]?(?=$|[\\s;&|)"',\\]])`;
  const path = `["'\`]?(?:${[...spellings].filter(isPath).map(regexText).join('|') || '(?!)'}|(?:\\./|\\.\\\\)(?:${plain.join('|')}))["'\`]?(?=$|[\\s;&|)"',\\]])`;
  const interpreter = `(?:\\b${SHELL}|\\bsource|(?<=^|[\\s;&|(])\\.|\\bpython[\\d.]*|\\bnode|\\bperl|\\bruby|\\bphp|\\bjava\\s+(?:-\\S+\\s+){0,6}-jar|\\bpwsh|\\bpowershell(?:\\.exe)?|\\bstart|\\bStart-Process(?:\\s+-FilePath)?|\\bcmd\\s+/c|\\brequire\\(?|\\bimport\\(?|\\brunpy\\.run_path\\(|\\bload|\\bsystem\\(?|\\bexec(?:File)?(?:Sync)?\\(|\\bspawn(?:Sync)?\\(|\\bos\\.(?:system|execv?p?|startfile)\\(|\\bsubprocess\\.\\w+\\(\\[?|\\bexec\\s*\\(\\s*open\\()\\s*(?:-\\S+\\s+){0,6}(?:--\\s+)?`;
  const opener = `(?:^|[;&|({]\\s*|\\n\\s*(?:-\\s+|RUN\\s+|run:\\s*)?|\\b(?:sudo|then|do|exec|nohup|env|time)\\s+(?:-\\S+\\s+|\\w+=\\S*\\s+)*|\\bRUN\\s+|&\\s*)`;
  const match = new RegExp(`${interpreter}${name}|${opener}(?:${path})`, 'gm').exec(rest);
  return match === null ? null : { at: match.index, end: match.index + match[0].length };
}

/** A name that runs when it stands where a command does. */
function isPath(file: string): boolean {
  return file.includes('/') || file.startsWith('$') || /\.(?:exe|bat|cmd|ps1|msi)$/i.test(file);
}

/** A value that is fetched, behind the name that it is given to. */
const FETCHED_VALUE =
  /=\s*(?:["']?(?:\$\(|`)\s*(?:curl|wget)\b|(?:await\s+|\(\s*)*(?:(?:urllib\.request\.|urllib2?\.)?urlopen|requests\s*\.\s*(?:get|post)|httpx\s*\.\s*get|fetch|axios(?:\.\w+)?|got(?:\.\w+)?|URI\.open|Net::HTTP\.get|(?:LWP::Simple::)?get\s*(?:\(\s*)?["']https?:|file_get_contents\s*\(\s*["']https?:|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|New-Object\s+(?:System\.)?Net\.WebClient\s*\)?\.DownloadString)\b)/i;
/** A variable that holds fetched content. */
const FETCHED = new RegExp(
  `(?:^|[\\s;&|({,])(?:export\\s+|local\\s+|const\\s+|let\\s+|var\\s+|my\\s+|\\$)?(?:\\{\\s*)?([A-Za-z_]\\w*)\\s*(?:[^=\\n}(]{0,40}\\}\\s*)?:?${FETCHED_VALUE.source}`,
  'gim',
);

/** `x=$(curl u); eval "$x"`, `code = urlopen(u).read()`, `exec(code)`. */
function variableRuns(text: string): Followed {
  const found: FetchedRun[] = [];
  // Every word may be a name, so that the search for one costs more than all others.
  if (!FETCHED_VALUE.test(text)) return { found, isCut: false };
  let count = 0;
  for (const match of text.matchAll(FETCHED)) {
    count += 1;
    if (count > FETCHES.DOWNLOADS_MAX) return { found, isCut: true };
    const start = match.index;
    const end = start + match[0].length;
    const rest = text.slice(end, end + FETCHES.REACH_CHARS);
    const names = derivedNames(rest, match[1] ?? '');
    const value = `["']?\\$?\\{?(?:${[...names].map(regexText).join('|')})\\b`;
    const runs = [
      `(?:\\beval|\\b${SHELL}\\s+(?:-\\w+\\s+)*-\\w*c|\\b(?:iex|Invoke-Expression)|\\b(?:python[\\d.]*|perl|ruby|node|php)\\s+-[\\w-]+)\\s+["']?\\$\\{?(?:${[...names].map(regexText).join('|')})\\b`,
      `(?:(?<![.\\w])(?:exec|eval|compile)|${NODE_RUN.replace(/\\s\*\\\($/, '')}|\\b(?:marshal|pickle|dill)\\.loads|\\bos\\.system|\\bsubprocess\\.\\w+|\\binstance_eval|\\b(?:execSync|exec|spawn|spawnSync))\\s*\\(\\s*\\[?${value}`,
      `\\beval\\s+${value}`,
      `\\b(?:echo|printf)\\b[^\\n|;]{0,60}\\$\\{?(?:${[...names].map(regexText).join('|')})\\b[^\\n|;]{0,20}\\|\\s*${PREFIX}(?:${SHELL}\\b|${OTHER})`,
      `\\b${SHELL}\\s+(?:-\\w+\\s+)*<<<\\s*["']?\\$\\{?(?:${[...names].map(regexText).join('|')})\\b`,
      `\\$(?:${[...names].map(regexText).join('|')})(?:\\.Content)?\\s*\\|\\s*(?:iex|Invoke-Expression)\\b`,
    ];
    const run = new RegExp(runs.join('|'), 'i').exec(rest);
    if (run === null || VERIFIED.test(rest.slice(0, run.index))) continue;
    found.push({ start, end: end + run.index + run[0].length });
  }
  return { found, isCut: false };
}

/** Names of one download that are followed. */
const NAMES_MAX = 20;

/** Names that get their value from a variable, one after the other. */
function derivedNames(rest: string, first: string): Set<string> {
  const names = new Set([first]);
  // `r = requests.get(u)`, `body = await r.text()`
  for (const [, name = '', value = ''] of rest.matchAll(
    /(?:^|[\s;{(])\$?([A-Za-z_]\w*)\s*=\s*("[^"\n]{0,200}|[^\n;]{0,200})/gm,
  )) {
    if (names.size < NAMES_MAX && value.match(/\w+/g)?.some((one) => names.has(one)))
      names.add(name);
  }
  return names;
}

const RUNS_IN_NODE = new RegExp(NODE_RUN, 'g');
const CALLBACK = new RegExp(`${NODE_FETCH}[\\s\\S]*?(?:\\.then|=>|\\bon\\s*\\(|\\bfunction\\b)`);
const CALLBACK_CHARS_MAX = 1_000;

/** `https.get(u, (r) => r.on('data', (d) => eval(d)))`, `fetch(u).then((r) => ...)`. */
function callbacks(text: string): Followed {
  const found: FetchedRun[] = [];
  let count = 0;
  for (const run of text.matchAll(RUNS_IN_NODE)) {
    count += 1;
    if (count > FETCHES.DOWNLOADS_MAX) return { found, isCut: true };
    const from = Math.max(0, run.index - CALLBACK_CHARS_MAX);
    const fetched = CALLBACK.exec(text.slice(from, run.index));
    if (fetched === null) continue;
    found.push({ start: from + fetched.index, end: run.index + run[0].length });
  }
  return { found, isCut: false };
}

const INSTALL =
  /\b(?:pip[\d.]*|uv\s+pip|pipx)\s+(?:install|run)\s[^\n;&|]{0,300}|\b(?:npx|bunx|pnpm\s+dlx|yarn\s+dlx|uvx|npm\s+(?:i|install|exec)|pnpm\s+(?:i|add|install)|yarn\s+add)\s[^\n;&|]{0,300}|\bdeno\s+run\s[^\n;&|]{0,300}/g;
/** Options whose value is an address of something else than a package. */
const OTHER_ADDRESS =
  /(?:^|\s)(?:-i|--index-url|--extra-index-url|-f|--find-links|--trusted-host|--proxy|-c|--constraint|-r|--requirement|--registry|--index|--default-index|--cert|--tarball|--dist-url|--disturl)[ =]["']?[^\s"']+/g;
const PACKAGE_ADDRESS =
  /(?:^|[\s"'@=])((?:git\+)?(?:https?|git|ssh):\/\/[^\s"']+|(?:github|gitlab|bitbucket|gist):[^\s"']+)/;
const PINNED =
  /@[\da-f]{40}\b|#[\da-f]{40}\b|#sha256=|\/archive\/[\da-f]{40}\b|#egg=[^\s]*@[\da-f]{40}/;

/** A package is installed, and with it run, from an address instead of a registry. */
function installs(text: string): FetchedRun[] {
  return [...text.matchAll(INSTALL)].flatMap((match) => {
    const [, address] = PACKAGE_ADDRESS.exec(match[0].replace(OTHER_ADDRESS, ' ')) ?? [];
    if (address === undefined || PINNED.test(address)) return [];
    // Published files of packages, and modules of the usual hosts at a version.
    if (
      /^https:\/\/(?:files\.pythonhosted\.org|registry\.npmjs\.org|download\.pytorch\.org|deno\.land|jsr\.io|esm\.sh)\//.test(
        address,
      )
    )
      return [];
    return [{ start: match.index, end: match.index + match[0].length }];
  });
}
