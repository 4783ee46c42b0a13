#!/usr/bin/env node
import { otherNode } from '../core/other-node.ts';
import { CraError } from '../model/errors.ts';
import { printable, withoutCommands } from './terminal.ts';

/** A command of the program: its arguments in, its exit code out. Loaded when it is used. */
interface Command {
  summary: string;
  load(): Promise<{ run(args: string[]): Promise<number> }>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'run the service (settings come from the environment, see docs/reference/settings.md)',
    load: () => import('./serve.ts'),
  },
  analyze: {
    summary: 'run the gates on a diff: from stdin, a commit range, or the staged changes',
    load: () => import('./analyze.ts'),
  },
  'pre-receive': {
    summary: 'the hook of a Git host: refuse a push that holds secrets before it is public',
    load: () => import('./pre-receive.ts'),
  },
  report: {
    summary: 'send the SARIF report of another tool for a change',
    load: () => import('./add-report.ts'),
  },
  size: {
    summary: 'compute CPU, memory, disk and costs of a service for a number of pushes',
    load: () => import('./size.ts'),
  },
  'prod-check': {
    summary: 'ask whether a commit may be deployed, and wait until it may',
    load: () => import('./prod-check.ts'),
  },
  'report-deploy': {
    summary: 'report that a deploy started, succeeded, failed or was rolled back',
    load: () => import('./report-deploy.ts'),
  },
  score: {
    summary: 'compare the scores of a running service with what became of changes',
    load: () => import('./score.ts'),
  },
  replay: {
    summary: "post a repository's commits to a running service and count the verdicts",
    load: () => import('./replay.ts'),
  },
  rules: {
    summary: 'explain, check and try rules, import gitleaks configurations',
    load: () => import('./rules.ts'),
  },
  debug: {
    summary: 'show what gate 2 makes of a file: for people who write lines of its catalogue',
    load: () => import('./debug.ts'),
  },
  audit: {
    summary: 'verify or export the audit trail, print its public key, accept a loss',
    load: () => import('./audit.ts'),
  },
  evidence: {
    summary: 'get signed evidence about a change, and verify it without the service',
    load: () => import('./evidence.ts'),
  },
  exceptions: {
    summary: 'list the accepted findings whose acceptance ends soon',
    load: async () => ({ run: (await import('./audit.ts')).runExceptions }),
  },
  llm: {
    summary: 'call or measure the models of gate 3',
    load: () => import('./llm.ts'),
  },
  mcp: {
    summary: 'serve the tools of the service to an agent (Model Context Protocol, stdio)',
    load: async () => {
      const [{ runMcp }, { ownVersion }] = await Promise.all([
        import('../mcp/main.ts'),
        import('../daemon/data-dir.ts'),
      ]);
      return { run: (args) => runMcp(args, ownVersion()) };
    },
  },
  hosts: {
    summary: 'check that every repository of the configured owners is covered by the gate',
    load: () => import('./hosts.ts'),
  },
  doctor: {
    summary: 'check an installation, and say what to do about each problem',
    load: () => import('./doctor.ts'),
  },
  'hash-password': {
    summary: 'hash the password of the local admin',
    load: () => import('./hash-password.ts'),
  },
  setup: {
    summary: 'prepare a MongoDB server: trail, role and users (run once, by an administrator)',
    load: () => import('./setup.ts'),
  },
  store: {
    summary: 'copy a store from SQLite to MongoDB or back, archive old RFCs',
    load: () => import('./store.ts'),
  },
  mirror: {
    summary: 'make the mirror of a large repository from a bundle of git',
    load: () => import('./mirror.ts'),
  },
  backup: {
    summary: 'back up the SQLite store of a running service',
    load: async () => ({ run: (await import('./store.ts')).runBackup }),
  },
};

/** Usage or operation failed; 1 is kept for "the change is blocked". */
const EXIT_ERROR = 2;

// The reader of a pipe left, as `head` does: there is nobody to write for.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT_ERROR);
});

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage());
    return name === undefined ? EXIT_ERROR : 0;
  }
  if (name === '--version') {
    const { ownVersion } = await import('../daemon/data-dir.ts');
    process.stdout.write(`${ownVersion()}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`cra: unknown command "${printable(name)}"\n\n${usage()}`);
    return EXIT_ERROR;
  }
  try {
    const { run } = await command.load();
    return await run(args);
  } catch (thrown) {
    process.stderr.write(withoutCommands(`cra ${name}: ${describe(thrown, name)}\n`));
    // Threads that a command started must not keep the process alive.
    return process.exit(EXIT_ERROR);
  }
}

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `usage: cra COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\ncra COMMAND --help explains a command, cra --version prints the version.\n`;
}

/** Our own errors and errors of argument parsing speak for themselves; others show their stack. */
function describe(thrown: unknown, name: string): string {
  if (thrown instanceof CraError) return thrown.message;
  if (thrown instanceof TypeError && 'code' in thrown) {
    // Of node:util: one sentence says what is wrong, the next ones guess what was meant.
    return `${thrown.message.split('. ', 1)[0]}; see cra ${name} --help`;
  }
  const said = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return otherNode(thrown, process.version) ?? said;
}
