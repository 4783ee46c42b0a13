/** What gate 2 says of a sink in its findings, in the terms of the field. */
export interface SinkWords {
  /**
   * What data reaches, for titles: "Request parameter `id` reaches an SQL statement"; absent: no
   * data is what is wrong.
   */
  readonly reached?: string;
  /** The title where no source is known, or where a fixed value is what is wrong. */
  readonly alone: string;
  /** What an attacker can do, as a clause. */
  readonly attack: string;
}

const RUN_COMMAND = 'an attacker can run any command on the server';
const RUN_CODE = 'an attacker can run any code in the program';
const RUN_SCRIPT = 'an attacker can run a script in the browser of a user';
const POLLUTE =
  'an attacker can set properties of all objects of the program (prototype pollution)';
const READ_TRAFFIC =
  'an attacker on the network path can read and change what the connection carries';
const FORGE_TOKEN = 'an attacker can make a token for any user';

/** By the name of the sink, which also stands in the last step of a flow. */
export const SINK_WORDS = {
  'shell command': {
    reached: 'a shell command',
    alone: 'Shell command is built from variable text',
    attack: RUN_COMMAND,
  },
  'program name': {
    reached: 'the name of a program to start',
    alone: 'Program to start is not fixed',
    attack: 'an attacker can start any program of the server',
  },
  'program argument': {
    reached: 'an argument of a program',
    alone: 'Argument of a program is not fixed',
    attack: 'an attacker can change what the program does by sending one of its options',
  },
  'program option': {
    reached: 'an option that starts another program',
    alone: 'Option by which a program starts others is not fixed',
    attack: RUN_COMMAND,
  },
  code: {
    reached: 'code that is run',
    alone: 'Code is built from variable text and run',
    attack: RUN_CODE,
  },
  'decoded code': {
    alone: 'Code is decoded from hidden text and run',
    attack: 'an attacker can hide from reviewers of the change what the program does',
  },
  'timer or worker code': {
    reached: 'the code of a timer or worker',
    alone: 'Code of a timer or worker is built from variable text',
    attack: RUN_CODE,
  },
  template: {
    reached: 'a template that is run as code',
    alone: 'Template is built from variable text',
    attack: RUN_CODE,
  },
  'template values': {
    reached: 'the options of a template engine',
    alone: 'Template engine takes its options from an object of the caller',
    attack: 'an attacker can set options of the template engine, and run code by some of them',
  },
  'module name': {
    reached: 'the name of a module to load',
    alone: 'Module to load is not fixed',
    attack: 'an attacker can load and run any module that the program can reach',
  },
  'rendered markup': {
    reached: 'markup that the server renders',
    alone: 'Server renders markup that is not fixed',
    attack: 'an attacker can make the server load addresses and files by tags in the markup',
  },
  'file path': {
    reached: 'the path of a file',
    alone: 'Path of a file is not fixed',
    attack: 'an attacker can reach files outside of the intended folder, for example by `../`',
  },
  archive: {
    reached: 'an archive that is unpacked',
    alone: 'Archive entries are written to where their names say',
    attack: 'an attacker can write files outside of the intended folder by names of entries',
  },
  host: {
    reached: 'the host of a connection',
    alone: 'Host of a connection is not fixed',
    attack: 'an attacker can make the server connect to any host, also to internal ones',
  },
  'request address': {
    reached: 'the address of a server-side request',
    alone: 'Address of a server-side request is not fixed',
    attack: 'an attacker can make the server send requests to any host, also to internal ones',
  },
  'redirect target': {
    reached: 'the target of a redirect',
    alone: 'Target of a redirect is not fixed',
    attack: 'an attacker can send users to any site by a link that begins with this one',
  },
  deserialiser: {
    reached: 'a deserialiser that runs code',
    alone: 'Deserialiser runs code of what it reads',
    attack: 'an attacker can run any code in the program by the data that it reads',
  },
  'object deserialiser': {
    reached: 'a deserialiser of any class',
    alone: 'Deserialiser makes objects of classes that the data names',
    attack: 'an attacker can have objects of any class made, and may run code by some of them',
  },
  'XML reader': {
    reached: 'an XML reader that resolves entities',
    alone: 'XML reader resolves external entities',
    attack: 'an attacker can read files of the server and make it send requests by entities',
  },
  'XPath expression': {
    reached: 'an XPath expression',
    alone: 'XPath expression is built from variable text',
    attack: 'an attacker can change what the expression selects',
  },
  'LDAP filter': {
    reached: 'an LDAP filter or name',
    alone: 'LDAP filter or name is built from variable text',
    attack: 'an attacker can change which entries the filter selects, and may pass a login',
  },
  query: {
    reached: 'the text of a query',
    alone: 'Query is built from variable text',
    attack: 'an attacker can change what the query reads and writes',
  },
  'SQL statement': {
    reached: 'an SQL statement',
    alone: 'SQL statement is built from variable text',
    attack: 'an attacker can read and change data of the database',
  },
  'database script': {
    reached: 'a script that the database runs',
    alone: 'Script of the database is built from variable text',
    attack: 'an attacker can run code in the database',
  },
  'database filter': {
    reached: 'a database filter',
    alone: 'Database filter is not fixed',
    attack: 'an attacker can change what the filter selects, and may pass a login',
  },
  'filter value': {
    reached: 'a value of a database filter',
    alone: 'Value of a database filter may be an object',
    attack: 'an attacker can send an operator such as `$ne` for the value, and may pass a login',
  },
  'regular expression': {
    reached: 'a regular expression',
    alone: 'Regular expression is built from variable text',
    attack: 'an attacker can send an expression that runs for minutes and blocks the program',
  },
  'slow regular expression': {
    reached: 'a regular expression that backtracks',
    alone: 'Regular expression backtracks exponentially',
    attack: 'an attacker can send a text that keeps the program busy for minutes',
  },
  'polynomial regular expression': {
    alone: 'Regular expression takes polynomial time for some texts',
    attack: 'an attacker can send a long text that keeps the program busy for seconds',
  },
  'deep merge': {
    reached: 'a deep merge of objects',
    alone: 'Objects are merged deeply without a check of `__proto__`',
    attack: POLLUTE,
  },
  'object key': {
    reached: 'the keys of an object',
    alone: 'Keys of an object are not fixed',
    attack: POLLUTE,
  },
  prototype: {
    reached: 'the prototype of objects',
    alone: 'Keys of data are written without a check of `__proto__` and `constructor`',
    attack: POLLUTE,
  },
  'stored fields': {
    reached: 'all fields of a stored object',
    alone: 'All fields of an object of the caller are stored',
    attack: 'an attacker can set fields that callers must not set (mass assignment)',
  },
  header: {
    reached: 'an HTTP header',
    alone: 'HTTP header is built from variable text',
    attack: 'an attacker can add headers to the answer, or split it, by line ends',
  },
  'mail header': {
    reached: 'the header of a mail',
    alone: 'Header of a mail is built from variable text',
    attack: 'an attacker can add recipients and headers to the mail by line ends',
  },
  'log entry': {
    reached: 'a log entry',
    alone: 'Log entry is built from variable text',
    attack: 'an attacker can forge log entries by line ends',
  },
  'work size': {
    reached: 'the size of the work of a request',
    alone: 'Size of the work of a request has no bound',
    attack: 'an attacker can use up memory or time by one request',
  },
  'allowed origin': {
    reached: 'the origin that may read answers',
    alone: 'Origin that may read answers is not fixed',
    attack: 'an attacker can have another site read answers with the rights of a user',
  },
  HTML: {
    reached: 'HTML',
    alone: 'HTML is built from variable text',
    attack: RUN_SCRIPT,
  },
  'incomplete sanitizer': {
    alone: 'Check or cleaning of markup lets some scripts through',
    attack: RUN_SCRIPT,
  },
  'HTML page': {
    reached: 'an HTML page',
    alone: 'HTML page is built from variable text',
    attack: RUN_SCRIPT,
  },
  'certificate check': {
    alone: 'TLS certificates are not verified',
    attack: READ_TRAFFIC,
  },
  'TLS setting': {
    alone: 'Outdated TLS version, weak cipher suite, or no encryption',
    attack: 'an attacker on the network path may read what the connection carries',
  },
  cipher: {
    alone: 'Broken cipher or mode',
    attack: 'an attacker may read or change what it encrypts',
  },
  'MD5 key': {
    alone: 'Encryption key is derived by MD5 without salt',
    attack: 'an attacker can find the key by trying passwords',
  },
  hash: {
    alone: 'Hash is too weak or too fast for passwords or signatures',
    attack: 'an attacker who has the hash can find the password by trying, or forge what it signs',
  },
  'random secret': {
    alone: 'Secret comes from a random generator that can be predicted',
    attack: 'an attacker can guess the secret',
  },
  'fixed key': {
    alone: 'Hard-coded cryptographic key',
    attack: 'an attacker who reads the program can decrypt and sign with the key',
  },
  'token key': {
    alone: 'Hard-coded key of tokens',
    attack: 'an attacker who reads the program can make a token for any user',
  },
  'session secret': {
    alone: 'Hard-coded secret of sessions or tokens',
    attack: 'an attacker who reads the program can forge sessions and tokens',
  },
  'cookie key': {
    alone: 'Hard-coded key of signed cookies',
    attack: 'an attacker who reads the program can forge cookies',
  },
  token: {
    reached: 'a token reader that verifies no signature',
    alone: 'Token is read without a check of its signature',
    attack: FORGE_TOKEN,
  },
  'token algorithm': {
    alone: 'Token check accepts the algorithm `none`',
    attack: FORGE_TOKEN,
  },
  'token check without key': {
    alone: 'Token check has no key',
    attack: FORGE_TOKEN,
  },
  'token expiry': {
    alone: 'Token check accepts expired tokens',
    attack: 'an attacker who has an old token can use it for ever',
  },
  cookie: {
    alone: 'Cookie lacks httpOnly, secure or sameSite',
    attack: 'an attacker can get at the cookie by a script, plain HTTP or another site',
  },
  'session value': {
    reached: 'a value of the session',
    alone: 'Value of the session is not checked',
    attack: 'an attacker can set values that the program later takes for checked ones',
  },
  'XML reader setting': {
    alone: 'XML reader resolves external entities',
    attack: 'an attacker can make the server send its files and open addresses by an XML document',
  },
  escaping: {
    alone: 'Escaping of HTML is switched off',
    attack: RUN_SCRIPT,
  },
  protection: {
    alone: 'Protection is switched off',
    attack: 'an attacker meets no protection of this kind any more',
  },
} as const satisfies Readonly<Record<string, SinkWords>>;

/** What a flow of gate 2 ends at, or what is set to a dangerous value. */
export type SinkName = keyof typeof SINK_WORDS;
