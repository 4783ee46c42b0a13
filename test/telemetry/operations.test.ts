import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { labelOnWire, METRICS, type Metric, PROCESS_METRICS } from '../../src/telemetry/metrics.ts';

const RUNBOOK_PAGE = 'docs/reference/alerts.md';
/** The same page where the service shows it. */
const RUNBOOKS = '/cra/docs/reference/alerts.html';
const PAGE = 'docs/reference/metrics.md';
const ALERTS = readFileSync('systemd/monitoring/alerts.yml', 'utf8');
const TESTS = readFileSync('systemd/monitoring/alerts.test.yml', 'utf8');
const START = '<!-- metrics -->';
const END = '<!-- /metrics -->';

interface Alert {
  name: string;
  expression: string;
  severity: string;
  runbook: string;
}

/** The alerts of the file; its form is ours, so it needs no parser of YAML. */
const alerts: Alert[] = ALERTS.split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    expression: /expr: (?:\|\n)?([\s\S]*?)\n {8}(?:for|labels):/.exec(text)?.[1] ?? '',
    severity: /severity: (\w+)/.exec(text)?.[1] ?? '',
    runbook: /runbook: (\S+)/.exec(text)?.[1] ?? '',
  }));

/** Every name that may stand in an expression: of the table, histograms with their parts. */
const series = new Set([
  'up',
  ...PROCESS_METRICS,
  ...Object.values<Metric>(METRICS).flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  ),
]);

function namesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:cra|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
}

test('every alert has a severity, a runbook entry and tests of both outcomes', (t) => {
  t.true(alerts.length > 25);
  const page = readFileSync(RUNBOOK_PAGE, 'utf8');
  for (const { name, severity, runbook } of alerts) {
    t.true(['page', 'ticket'].includes(severity), name);
    const [path, anchor] = runbook.split('#');
    t.is(path, RUNBOOKS, name);
    const title = page.match(/^### \w+$/gm)?.find((line) => line.slice(4).toLowerCase() === anchor);
    t.truthy(title, `${name}: ${anchor}`);
    const entry = page.split(`${title}\n`)[1]?.split(/^### /m)[0] ?? '';
    for (const part of ['Means', 'Look at', 'Do'])
      t.regex(entry, new RegExp(`^- \\*\\*${part}:\\*\\* .{40}`, 'm'), name);
    t.true(title?.slice(4) === name || entry.includes(`\`${name}\``), name);
    t.true(TESTS.includes(`- name: ${name} fires`), name);
    t.true(TESTS.includes(`- name: ${name} does not fire`), name);
  }
  t.is(
    (page.match(/^- \*\*Means:/gm) ?? []).length,
    new Set(alerts.map((each) => each.runbook)).size,
  );
});

test('alerts, their tests and the dashboard name only series that exist', (t) => {
  const dashboard = readFileSync('systemd/monitoring/dashboard.json', 'utf8');
  for (const [what, text] of Object.entries({ ALERTS, TESTS, dashboard })) {
    const names = namesIn(text);
    t.true(names.length > 20, what);
    t.deepEqual(
      [...new Set(names)].filter((name) => !series.has(name)),
      [],
      what,
    );
  }
  for (const { name, expression } of alerts) {
    const recorded = [...expression.matchAll(/\bcra:[\w:]+/g)].map(([rule]) => rule);
    for (const rule of recorded) t.true(ALERTS.includes(`- record: ${rule}\n`), `${name}: ${rule}`);
    t.true(recorded.length + namesIn(expression).length > 0 || /\bup\b/.test(expression), name);
  }
});

test('every part of the table is on the dashboard or in an alert', (t) => {
  const dashboard = readFileSync('systemd/monitoring/dashboard.json', 'utf8');
  const used = new Set([...namesIn(ALERTS), ...namesIn(dashboard)]);
  const areas = (names: Iterable<string>) =>
    new Set([...names].filter((name) => name.startsWith('cra_')).map((name) => name.split('_')[1]));
  t.deepEqual(
    [...areas(series)].filter((area) => !areas(used).has(area)),
    [],
  );
});

test('the dashboard has a fixed uid, its own data source and no ids', (t) => {
  const dashboard = JSON.parse(readFileSync('systemd/monitoring/dashboard.json', 'utf8'));
  t.is(dashboard.uid, 'cra-overview');
  t.is(dashboard.id, undefined);
  const [input] = dashboard.__inputs;
  t.like(input, { type: 'datasource', pluginId: 'prometheus' });
  for (const panel of dashboard.panels) {
    t.is(panel.id, undefined, panel.title);
    if (panel.type === 'row') continue;
    t.regex(panel.datasource.uid, /^\$\{datasource\}$/, panel.title);
    t.true(panel.targets.length > 0, panel.title);
  }
});

/** The table of docs/reference/metrics.md. */
function metricsTable(): string {
  const rows = Object.values<Metric>(METRICS).map(({ name, type, unit, labels, help }) => {
    const shown = labels.map((label) => `\`${labelOnWire(label)}\``).join(', ');
    return `| \`${name}\` | ${type} | ${unit} | ${shown} | ${help} |`;
  });
  return ['| name | type | unit | labels | |', '|---|---|---|---|---|', ...rows].join('\n');
}

test('docs/reference/metrics.md lists every metric; UPDATE_GOLDEN=1 writes the table', (t) => {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(`${START}\n`);
  const [table = '', after = ''] = rest.split(`\n${END}`);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    writeFileSync(PAGE, `${before}${START}\n${metricsTable()}\n${END}${after}`);
    t.pass();
    return;
  }
  t.is(table, metricsTable());
  for (const name of PROCESS_METRICS) t.true(after.includes(`\`${name}\``), name);
});
