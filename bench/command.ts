import { basename } from 'node:path';
import { OPTIONS_HELP, type Runnable, readOptions } from './options.ts';
import { toJson, toMarkdown } from './report.ts';

/** Runs the named ones of `runnables`, one after the other; resolves with the exit code. */
export async function runCommand(
  script: string,
  runnables: Readonly<Record<string, Runnable>>,
): Promise<number> {
  const args = process.argv.slice(2);
  const read = readOptions(args);
  if (read === null) {
    process.stdout.write(usage(script, runnables));
    return args.length === 0 ? 2 : 0;
  }
  const { names, options } = read;
  const unknown = names.find((name) => !Object.hasOwn(runnables, name));
  if (unknown !== undefined) {
    process.stderr.write(`there is no ${script} "${unknown}"\n\n${usage(script, runnables)}`);
    return 2;
  }
  let code = 0;
  for (const name of names) {
    const runnable = runnables[name];
    if (runnable === undefined) continue;
    const { run } = await runnable.load();
    const report = await run(options);
    const command = commandText(script, name, args, names);
    process.stdout.write(options.json ? toJson(report, command) : toMarkdown(report, command));
    process.stdout.write('\n');
    if (!report.holds) code = 1;
  }
  return code;
}

/** How to run it again; a path is shown by its last part, the rest is the reader's own. */
function commandText(
  script: string,
  name: string,
  args: readonly string[],
  names: readonly string[],
): string {
  const rest = args.filter((arg) => !names.includes(arg) && arg !== '--json');
  const shown = rest.map((arg) => (arg.includes('/') ? `.../${basename(arg)}` : arg));
  return ['npm run', script, '--', name, ...shown].join(' ');
}

function usage(script: string, runnables: Readonly<Record<string, Runnable>>): string {
  const width = Math.max(...Object.keys(runnables).map((name) => name.length));
  const lines = Object.entries(runnables).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `usage: npm run ${script} -- NAME... [OPTIONS]\n\n${lines.join('\n')}\n${OPTIONS_HELP}`;
}
