import { CraError } from '../model/errors.ts';

/** What can be done with rules: arguments in, exit code out. */
const ACTIONS: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> = {
  import: () => import('./rules-import.ts'),
  check: () => import('./rules-check.ts'),
  test: () => import('./rules-test.ts'),
};

/** `cra rules import|check|test`. Resolves with the exit code of the action. */
export async function run([name, ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    process.stdout.write(HELP);
    return 0;
  }
  const action = name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const what = name === undefined ? 'no action is given' : `there is no action "${name}"`;
    throw new CraError('INVALID_ARGUMENT', `${what}\n\n${HELP}`);
  }
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  const { run: act } = await action();
  return act(args);
}

const HELP = `usage: cra rules import FILE.toml [--out FILE.json]
       cra rules check FILE
       cra rules test [FILE] (--text TEXT | --diff DIFF) [--path PATH] [--json]

import  Turns a gitleaks configuration into a rules file. What cannot be done the same way is
        named with its rule; rules that cannot be run are left out.
        Exit code: 0 all is in, 1 something is left out, 2 it failed.
check   Reads a rules file (JSON, or a gitleaks .toml), compiles every rule and runs its examples.
        Every problem is named with its rule. Exit code: 0 it can be used, 1 it cannot, 2 it failed.
test    Tells which rules of FILE (default: the built-in ones) match, and where. Secrets are
        masked. Exit code: 0 none does, 1 some do, 2 it failed.
  --text TEXT   a text, as the added lines of a new file; - reads it from standard input
  --path PATH   the name of that file (default: src/example.txt)
  --diff DIFF   the path of a unified diff; - reads it from standard input
  --json        print the findings as JSON

  cra rules import .gitleaks.toml --out rules.json && SERVICE_RULES_PATH=rules.json cra serve
  git diff main... | cra rules test rules.json --diff -
`;
