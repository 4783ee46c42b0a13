import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { ENVIRONMENT } from '../cli/fixtures/repository.ts';
import { temporaryDir } from '../daemon.ts';
import { freePort } from '../free-port.ts';

/** In the order of the handbook: each uses what the ones before have made. */
const PAGES = [
  ...['start/laptop-hook', 'start/first-server', 'start/first-host', 'start/first-approver'],
  ...['start/first-deploy', 'start/first-agent', 'how-to/own-rules'],
];
/** A block of a page about a task: a text in it, what it needs, and what its output has to be. */
const TASKS: [page: string, text: string, before: string, check: string][] = [
  [
    'suppression',
    '"accept_findings"',
    'RFC=$(blocked one)',
    `jq -e '.data.overall_status == "OVERRIDDEN"'`,
  ],
  [
    'emergencies',
    '"emergency"',
    'RFC=$(blocked two)',
    `jq -e '.data.overall_status == "OVERRIDDEN"'`,
  ],
  ['monorepo', 'xargs', 'mkdir -p services/pay services/web', 'grep "components: pay, web"'],
  [
    'gitleaks',
    'rules import',
    `echo "[[rules]]
id = 'acme'
regex = 'acme_[a-z0-9]{20}'" > .gitleaks.toml`,
    'cat',
  ],
];

const TASKS_PREPARED = `cd ~/shop
export CRA_OVERRIDE_TOKEN="$(cat ~/cra-server/override-token)"
blocked() {
  jq -n --arg repo "$1" --arg key "AKIA""Q7XK2M5RN4TPW3VJ" '{repo_name: $repo, branch: "main", commit_message: "x",
    diff: ("diff --git a/k.env b/k.env\\nnew file mode 100644\\n--- /dev/null\\n+++ b/k.env\\n@@ -0,0 +1 @@\\n+KEY=" + $key + "\\n")}' |
    curl -s -H "$(auth api-token)" http://127.0.0.1:3011/api/cra/analyze -d @- | jq -r .data.rfc_id
}
`;

function taskCommands([page, text, before, check]: (typeof TASKS)[number]): string {
  const blocks = readFileSync(`docs/how-to/${page}.md`, 'utf8').matchAll(
    /^```sh\n([\s\S]*?)^```$/gm,
  );
  const found = [...blocks].map(([, block = '']) => block).find((block) => block.includes(text));
  if (found === undefined) throw new Error(`docs/how-to/${page}.md has no command with ${text}`);
  return `${before}\n{\n${found.replace(/^RFC=RFC-.*$/m, '')}} | ${check}\n`;
}

const LIMIT_MS = 290_000;

test('the pages for the first steps do what they say, command by command', async (t) => {
  t.timeout(LIMIT_MS);
  const port = String(await freePort());
  const text = PAGES.map((name) => readFileSync(`docs/${name}.md`, 'utf8')).join('\n');
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const blocks = (kind: string) =>
    fences.filter(([, name]) => name === kind).map(([, , block = '']) => block);
  const commands = [...blocks('sh'), TASKS_PREPARED, ...TASKS.map(taskCommands)]
    .join('')
    .replaceAll('127.0.0.1:3011', `127.0.0.1:${port}`)
    // On a busy machine the hook needs more than its 4.5 s.
    .replaceAll('--fail closed', '--fail closed --within 60');
  const { status, stdout } = spawnSync(
    'bash',
    // Awaited, too: the daemon writes into its data directory until it ends.
    ['-c', `exec 2>&1; set -eo pipefail; trap 'kill $(jobs -p); wait' EXIT\n${commands}`],
    {
      env: { ...ENVIRONMENT, HOME: temporaryDir(t), SERVICE_PORT: port, SERVICE_THREADS: '1' },
      encoding: 'utf8',
      timeout: LIMIT_MS,
    },
  );
  t.is(status, 0, stdout);
  const printed = new Set(stdout.split('\n').map((line) => line.trimEnd()));
  const shown = blocks('').join('').trimEnd().split('\n');
  t.true(shown.length > PAGES.length);
  t.deepEqual(
    shown.filter((line) => !printed.has(line)),
    [],
    stdout,
  );
});
