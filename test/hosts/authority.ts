import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TlsIdentity } from './git-host.ts';

/** A certificate authority that nobody else knows, with one server of 127.0.0.1. */
export interface Authority {
  /** PEM file of its certificate. */
  caFile: string;
  server: TlsIdentity;
}

/** Makes one in a folder, by openssl. */
export function makeAuthority(folder: string, name = 'Test Authority'): Authority {
  const at = (file: string) => join(folder, file);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const caKey = at('ca.key');
  const caFile = at('ca.pem');
  const basics = 'basicConstraints=critical,CA:TRUE';
  const root = ['-x509', ...newKey, '-days', '2', '-subj', `/CN=${name}`, '-addext', basics];
  openssl('req', ...root, '-keyout', caKey, '-out', caFile);
  openssl('req', ...newKey, '-subj', '/CN=git', '-keyout', at('key'), '-out', at('request'));
  writeFileSync(at('extensions'), 'subjectAltName=IP:127.0.0.1\n');
  const signing = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-days', '2'];
  const names = ['-extfile', at('extensions')];
  openssl('x509', '-req', '-in', at('request'), ...signing, ...names, '-out', at('cert'));
  const read = (file: string) => readFileSync(at(file), 'utf8');
  return { caFile, server: { key: read('key'), cert: read('cert') } };
}
