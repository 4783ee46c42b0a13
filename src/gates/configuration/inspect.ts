import { once, oncePer } from '../../core/once.ts';
import { asBuffer } from '../../diff/bytes.ts';
import type { DiffFile } from '../../diff/diff.ts';
import type { TreeFiles } from '../../model/change.ts';
import type { GateFinding } from '../../model/finding.ts';
import type { CompiledRules } from '../patterns/compiled-rules.ts';
import { CommandChecks, mayHoldCommands } from './command-checks.ts';
import { DocumentChecks } from './document-checks.ts';
import { DocumentRules } from './document-rules.ts';
import { mayFetch } from './fetch-run.ts';
import { readHcl } from './hcl.ts';
import type { DocumentsRead } from './join-findings.ts';
import { kindOfDocument, resourceFileOf } from './kinds.ts';
import { type Folders, Modules } from './modules.ts';
import { piecesOf } from './pieces.ts';
import { Report } from './report.ts';
import { ResourceChecks } from './resource-checks.ts';
import { declaresResources, isReadWhole } from './wanted-files.ts';
import { loadYaml } from './yaml.ts';

interface ConfigurationInput {
  /** The diff, and its files. */
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** As `wantedForConfiguration` asked; null: there is no repository at hand. */
  trees: TreeFiles;
  /** Checks whose rule is absent are silent. */
  rules: CompiledRules;
  fingerprintKey: Uint8Array;
  /** Other files of the repository on both sides; null: they are not at hand. */
  program?: Readonly<Record<'base' | 'head', Folders>> | null;
}

interface Configuration extends DocumentsRead {
  findings: GateFinding[];
}

/**
 * Gate 1 over files of configuration as data, and over scripts for code that is fetched and run.
 * A document that is there whole and cannot be read is `config-unread`. Throws nothing.
 */
export async function inspectConfiguration(input: ConfigurationInput): Promise<Configuration> {
  const { bytes, files, trees } = input;
  const report = new Report(input.rules, input.fingerprintKey);
  const commands = new CommandChecks(report);
  // One parser for both: a workflow is read by its own checks and by rules on documents.
  const yaml = once(loadYaml);
  // A file is often the same on both sides of a change, and in view of others of its module.
  const readTerraform = oncePer(readHcl);
  const documents = new DocumentChecks(bytes, trees, report, commands, yaml);
  const modules = new Modules(bytes, files, input.program ?? null, report, readTerraform);
  const resourceFiles = new Map(
    files.flatMap((file) => {
      const kind = declaresResources(file) ? resourceFileOf(file.path.trimEnd()) : null;
      return kind === null ? [] : [[file, kind] as const];
    }),
  );
  // To make hundreds of rules ready takes long, and most changes have no such document.
  const rules = resourceFiles.size === 0 ? null : DocumentRules.of(input.rules);
  const shared = { bytes, trees, modules, report, loadYaml: yaml, readTerraform };
  const resources = rules === null ? null : new ResourceChecks({ ...shared, rules });
  const ofTerraform = files.filter((file) => resourceFiles.get(file) === 'terraform');
  if (rules?.isEmpty === false) await modules.ask(ofTerraform);
  for (const file of files) {
    const path = file.path.trimEnd();
    const resourceFile = resourceFiles.get(file);
    if (resourceFile !== undefined) await resources?.file(file, path, resourceFile);
    const kind = isReadWhole(file) ? kindOfDocument(path) : null;
    if (kind !== null) await documents.file(file, path, kind);
    else if (mayBeRun(file, path)) {
      // Most hunks hold no such word, and are not worth the lines.
      const hunks = file.hunks.filter(({ start, end }) => {
        return mayFetch(asBuffer(bytes).toString('latin1', start, end));
      });
      for (const piece of piecesOf(bytes, { ...file, hunks })) commands.lines(file.path, piece);
    }
  }
  await resources?.changed();
  const read = new Set([...documents.read, ...(resources?.read ?? [])]);
  return { findings: report.findings, read, settled: report.settled };
}

function mayBeRun({ change, content, additions }: DiffFile, path: string): boolean {
  return change !== 'deleted' && content === 'text' && additions > 0 && mayHoldCommands(path);
}
