import { isSafeUrl } from '../../core/credentials.ts';
import type { RegistryPlace, RegistrySettings } from '../../model/dependencies.ts';
import type { Reader } from './reader.ts';

const HOURS_DEFAULT = 24;
const HOURS_MAX = 8_760;

/** The registries of the organization that gate 1 asks about new packages; null: it asks none. */
export function readRegistrySettings(reader: Reader): RegistrySettings | null {
  const npm = readPlace(reader, 'SERVICE_NPM_REGISTRY');
  const pypi = readPlace(reader, 'SERVICE_PYPI_REGISTRY');
  const hoursMin = reader.integer('SERVICE_REGISTRY_HOURS_MIN', HOURS_DEFAULT, 0, HOURS_MAX);
  const onFailure = reader.oneOf('SERVICE_REGISTRY_ON_FAILURE', ['hold', 'allow'], 'hold');
  if (npm === null && pypi === null) return null;
  return Object.freeze({ npm, pypi, hoursMin, holds: onFailure === 'hold' });
}

function readPlace(reader: Reader, name: string): RegistryPlace | null {
  const url = reader.text(name, '').replace(/\/+$/, '');
  const token = reader.secret(`${name}_TOKEN`);
  if (url === '') {
    if (token !== '') reader.problem(name, `is missing beside ${name}_TOKEN`);
    return null;
  }
  if (!URL.canParse(url) || !isSafeUrl(new URL(url)) || /[?#]/.test(url)) {
    reader.problem(name, 'must be an https address without ? and # (http on loopback only)');
  }
  return Object.freeze({ url, token });
}
