import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const VERSION = '5.9.2';
const NAME = 'lockfile-lint-api';

interface Validator {
  validate(allowed?: readonly string[]): { errors: readonly { message: string }[] };
}
type ValidatorClass = new (options: { packages: object }) => Validator;

/** What is used of lockfile-lint-api. */
interface LintApi {
  ParseLockfile: new (options: {
    lockfileText: string;
    lockfileType: string;
  }) => {
    parseSync(): { object: object };
  };
  ValidateHost: ValidatorClass;
  ValidateScheme: ValidatorClass;
  ValidateIntegrity: ValidatorClass;
  ValidatePackageNames: ValidatorClass;
}

/**
 * What lockfile-lint says of a lockfile: hosts, schemes, checksums and names. It reads one version,
 * so that it sees no checksum that changed and no package that is new.
 */
export function createLint(installed: string): (text: string, type: 'npm' | 'yarn') => string[] {
  const directory = join(installed, 'lockfile-lint');
  if (!existsSync(join(directory, 'node_modules', NAME))) {
    mkdirSync(directory, { recursive: true });
    const quiet = ['install', '--silent', '--ignore-scripts', '--prefix', directory];
    execFileSync('npm', [...quiet, `${NAME}@${VERSION}`], { cwd: directory, stdio: 'pipe' });
  }
  const api = createRequire(`${directory}/`)(NAME) as LintApi;
  return (lockfileText, lockfileType) => {
    const { object: packages } = new api.ParseLockfile({ lockfileText, lockfileType }).parseSync();
    const results = [
      new api.ValidateHost({ packages }).validate(['npm', 'yarn']),
      new api.ValidateScheme({ packages }).validate(['https:']),
      new api.ValidateIntegrity({ packages }).validate(),
      new api.ValidatePackageNames({ packages }).validate(),
    ];
    return results.flatMap(({ errors }) => errors.map(({ message }) => message));
  };
}
