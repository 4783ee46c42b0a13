import { CraError } from '../model/errors.ts';

/** `cra setup`: prepares a server or host for the service. Resolves with the exit code. */
export async function run([target, ...args]: string[]): Promise<number> {
  const isHelp = [target, ...args].some((argument) => argument === '--help' || argument === '-h');
  if (target === 'mongodb') {
    const { MONGODB_HELP, setUpMongodb } = await import('./setup-mongodb.ts');
    return isHelp ? print(MONGODB_HELP) : await setUpMongodb(args);
  }
  if (target === 'github-app') {
    const { GITHUB_APP_HELP, setUpGitHubApp } = await import('./setup-github-app.ts');
    return isHelp ? print(GITHUB_APP_HELP) : await setUpGitHubApp(args);
  }
  if (isHelp) return print(HELP);
  const problem = target === undefined ? 'say what to set up' : `"${target}" cannot be set up`;
  throw new CraError('INVALID_ARGUMENT', `${problem}\n\n${HELP}`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

const HELP = `usage: cra setup mongodb [options]
       cra setup github-app [options]

  mongodb      users, roles and the write-once audit collection on a MongoDB server
  github-app   a GitHub App with the rights that the service needs, and its settings

"cra setup mongodb --help" and "cra setup github-app --help" list the options.
`;
