import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PIPELINE } from '../src/analysis/limits.ts';
import { treeCpuSeconds } from '../src/cli/replay-summary.ts';
import { createCancelFlag } from '../src/core/deadline.ts';
import { parseDiff } from '../src/diff/parse.ts';
import { collectFragments } from '../src/gates/syntax/collect.ts';
import { inspectFragments } from '../src/gates/syntax/inspect.ts';
import type { GateFinding } from '../src/model/finding.ts';
import { createChildClient, createChildHost } from '../src/rpc/child.ts';
import { Syntax } from '../src/rpc/contract.ts';
import type { Client } from '../src/rpc/service.ts';
import { createClient } from '../src/rpc/service.ts';
import { workerEntry } from '../src/rpc/thread-entry.ts';
import { bytesOf, type Corpus } from './corpus/corpus.ts';
import { best } from './harness.ts';
import type { Table } from './report.ts';
import { measureSyntaxCost } from './syntax-cost.ts';

const FINGERPRINT_KEY = randomBytes(32);

const WARM_RUNS = 5;

type SyntaxClient = Client<typeof Syntax>;

/** Gate 2 over a corpus of JS/TS, with a real child, parse of the diff not included. */
export async function measureSyntaxGate(corpus: Corpus): Promise<Table[]> {
  const parsed = corpus.diffs.map((bytes) => ({ bytes, files: parseDiff(bytes).files }));
  const hunks = parsed.reduce((sum, { files }) => sum + count(files.map((f) => f.hunks.length)), 0);
  const child = startChild();
  try {
    const collect = await best(() => parsed.map(collectFrom));
    const sent = parsed.flatMap((diff) => collectFrom(diff).fragments);
    const fragments = sent.length;
    const characters = count(sent.map(({ text }) => text.length));
    let findings: GateFinding[] = [];
    const inspectAll = async () => {
      findings = [];
      for (const diff of parsed) {
        const collected = collectFrom(diff);
        const cancel = createCancelFlag();
        const input = { ...collected, client: child.client, cancel };
        findings.push(
          ...(await inspectFragments({ ...input, fingerprintKey: FINGERPRINT_KEY })).findings,
        );
      }
    };
    // A child in service is warm.
    for (let run = 0; run < WARM_RUNS; run += 1) await inspectAll();
    const all = await best(inspectAll, child.cpuMs);
    const megabytes = bytesOf(corpus.diffs) / 1e6;
    const unparsed = findings.filter(({ id }) => id === 'ast-unparsed');
    return [
      {
        columns: ['gate 2', 'figure'],
        rows: [
          ['MB of diff', megabytes],
          ['hunks', hunks],
          ['fragments sent (after the prefilter)', fragments],
          ['KB of code a fragment', characters / 1000 / fragments],
          ['CPU of prefilter and collecting, ms per MB', collect.cpuMs / megabytes],
          ['CPU of all of gate 2, ms per MB', all.cpuMs / megabytes],
          ['CPU of all of gate 2, ms per hunk', all.cpuMs / hunks],
          ['CPU of all of gate 2, ms per fragment sent', all.cpuMs / fragments],
          ['CPU after the prefilter, ms per fragment', (all.cpuMs - collect.cpuMs) / fragments],
          ['CPU of all of gate 2, ms per KB of code sent', (all.cpuMs * 1000) / characters],
          ['findings, ast-unparsed left out', findings.length - unparsed.length],
          ['ast-unparsed high', unparsed.filter(({ severity }) => severity === 'high').length],
          ['ast-unparsed low', unparsed.filter(({ severity }) => severity === 'low').length],
          ['children started', child.started()],
        ],
      },
      await measureSyntaxCost(sent, FINGERPRINT_KEY),
    ];
  } finally {
    child.close();
  }
}

function collectFrom({
  bytes,
  files,
}: {
  bytes: Buffer;
  files: ReturnType<typeof parseDiff>['files'];
}) {
  const cancel = createCancelFlag();
  return collectFragments({ bytes, files, fingerprintKey: FINGERPRINT_KEY, cancel });
}

function count(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** A child as a scan thread has it. */
function startChild() {
  const socketDir = mkdtempSync(join(tmpdir(), 'cra-bench-'));
  const host = createChildHost({
    entry: workerEntry('ast'),
    oldSpaceMiB: PIPELINE.CHILD_OLD_SPACE_MIB,
    onExit: () => undefined,
  });
  const transport = createChildClient({ threadId: 1, socketDir, ask: host.receive });
  const client: SyntaxClient = createClient(Syntax, transport);
  return {
    client,
    started: () => host.started,
    /** Of the child that runs now; one that died takes its time with it. */
    cpuMs: () => count(host.pids().map((pid) => (treeCpuSeconds(pid) ?? 0) * 1000)),
    close() {
      host.close();
      rmSync(socketDir, { recursive: true, force: true });
    },
  };
}
