import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { findWideContext } from '../../src/gates/patterns/wide-context.ts';
import type { ReadTimes } from '../../src/git/diff.ts';
import { createGroups } from '../../src/git/launcher.ts';
import { openSource } from '../../src/git/source.ts';
import type { VcsHost } from '../../src/hosts/settings.ts';
import { SOURCE } from '../../src/model/limits.ts';
import { connectInProcess } from '../../src/rpc/channel.ts';
import type { Client, Transport } from '../../src/rpc/service.ts';
import { createClient, createServer, implement } from '../../src/rpc/service.ts';
import { Source } from '../../src/rpc/source-contract.ts';
import { type GitHost, startGitHost, type TlsIdentity } from '../hosts/git-host.ts';

/** A source of one host, and where its mirrors are. */
export interface Opened {
  host: GitHost;
  source: Client<typeof Source>;
  mirrorDir: string;
  groups: SharedArrayBuffer;
  /** Closes the source and opens another one on the same mirrors. */
  reopen(): Promise<Client<typeof Source>>;
}

/** The settings of a host of tests. */
export function settingsOf(host: Pick<GitHost, 'url' | 'token' | 'username'>): VcsHost {
  return {
    id: 'test',
    provider: 'gitea',
    url: host.url,
    apiUrl: null,
    token: host.token,
    username: host.username,
    webhookSecrets: [],
    tenantId: 'default',
  };
}

export interface OpenedOptions {
  token?: string;
  mirrorBytesMax?: number;
  /** Of the host; plain http without it. */
  tls?: TlsIdentity;
  /** How long (ms) the parts of a diff may take. */
  times?: ReadTimes;
  /** Beside what `settingsOf` says. */
  settings?: Partial<VcsHost>;
}

/** Nothing of git ends at a deadline because the machine is busy, but for what a test sets. */
function patient(carrier: Transport): Transport {
  return {
    call({ timeoutMs, ...request }, ...rest) {
      const isOwn = timeoutMs < SOURCE.REFS_DEADLINE_MS;
      const patientMs = Math.max(timeoutMs, PATIENT_MS);
      return carrier.call({ ...request, timeoutMs: isOwn ? timeoutMs : patientMs }, ...rest);
    },
  };
}

const PATIENT_MS = 600_000;

/** A host and a source that has no mirror yet, over the real contract; gone after the test. */
export async function openWithHost(
  t: ExecutionContext,
  options: OpenedOptions = {},
): Promise<Opened> {
  const host = await startGitHost({
    token: options.token ?? null,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  const mirrorDir = mkdtempSync(join(tmpdir(), 'cra-mirrors-'));
  const groups = createGroups();
  const open = () =>
    openSource(
      {
        mirrorDir,
        hosts: [{ ...settingsOf(host), ...options.settings }],
        mirrorBytesMax: options.mirrorBytesMax ?? 2 ** 30,
        groups,
      },
      findWideContext,
      options.times,
    );
  let opened = await open();
  const clientOf = ({ methods }: typeof opened) =>
    createClient(Source, patient(connectInProcess(createServer([implement(Source, methods)]))));
  t.teardown(async () => {
    await opened.close();
    await host.close();
    rmSync(mirrorDir, { recursive: true, force: true });
  });
  return {
    host,
    source: clientOf(opened),
    mirrorDir,
    groups,
    async reopen() {
      await opened.close();
      opened = await open();
      return clientOf(opened);
    },
  };
}

/** Names one repository of the host for a call. */
export const APP = { host: 'test', repo_full_name: 'team/app' };
