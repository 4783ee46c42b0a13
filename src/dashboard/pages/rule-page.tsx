import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, type Failure } from '../api.ts';
import { useTitle } from '../lists.tsx';
import { Fact, FailureBox, Folded, Pre, SeverityLabel, Time, Untrusted, Words } from '../parts.tsx';
import { pageLink } from '../route.ts';
import { abilities } from '../session.ts';
import {
  DAYS,
  FalseAlarms,
  KINDS,
  type Mode,
  modeOf,
  names,
  Overridden,
  type Rule,
  type RuleSums,
  rulesOf,
  SECTIONS,
  type ShownRules,
  useSums,
} from './rule-list.tsx';
import type { Revision } from './rule-revisions.tsx';
import { Try, type Tryable, TryChange } from './rule-try.tsx';

/** One rule: what it does, what it finds and what not, what people made of it. */
export function RulePage({ file, id }: { file: ShownRules; id: string }) {
  useTitle(`Rule ${id}`);
  const rule = rulesOf(file).find((each) => each.id === id);
  const sums = useSums().get(id);
  return (
    <section>
      <p>
        <a href="#/rules">All rules</a>
      </p>
      {rule === undefined ? (
        <NoPattern id={id} sums={sums} />
      ) : (
        <>
          <h1>
            <SeverityLabel severity={rule.severity} /> <Words text={rule.title} max={300} />
          </h1>
          <div class="columns">
            <div>
              {rule.patterns.slice(0, PATTERNS_MAX).map((pattern) => (
                <PatternCard
                  key={pattern.id}
                  pattern={pattern}
                  section={rule.section}
                  isAlone={rule.patterns.length === 1}
                />
              ))}
              {rule.patterns.length > PATTERNS_MAX && (
                <p class="quiet">{rule.patterns.length - PATTERNS_MAX} more patterns</p>
              )}
            </div>
            <Facts rule={rule} file={file} sums={sums} />
          </div>
        </>
      )}
    </section>
  );
}

/** Patterns of one rule that a page shows. */
const PATTERNS_MAX = 50;

/** Of rules without patterns: data that gate 2 follows, and what models find. */
function NoPattern({ id, sums }: { id: string; sums: RuleSums | undefined }) {
  return (
    <>
      <h1>
        <code>
          <Untrusted text={id} max={120} />
        </code>
      </h1>
      <p>
        This rule has no pattern: gate 2 follows data to find it, a model found it, or it says what
        could not be looked at. Its findings say what comes of it and what mends it.
      </p>
      <Figures id={id} sums={sums} />
    </>
  );
}

function Facts({
  rule,
  file,
  sums,
}: {
  rule: Rule;
  file: ShownRules;
  sums?: RuleSums | undefined;
}) {
  const { id, section, patterns } = rule;
  const [{ cwe, source } = { cwe: undefined, source: '' }] = patterns;
  const { pipeline = {}, components = [] } = file;
  const others = components.filter((one) => one.modes ?? one.block_severities);
  const paths = Object.entries(file.severities ?? {}).findLast(([name]) => names(name, id))?.[1];
  return (
    <aside class="box">
      <dl class="facts">
        <Fact title="Id">
          <code>
            <Untrusted text={id} max={120} />
          </code>
        </Fact>
        <Fact title="Kind">{KINDS[section]}</Fact>
        <Fact title="Mode">{modeOf(id, pipeline.modes)}</Fact>
        {typeof paths === 'object' &&
          Object.entries(paths).map(([path, severity]) => (
            <Fact key={path} title={`Severity in ${path}`}>
              {severity}
            </Fact>
          ))}
        {others.map(({ id: component, modes, block_severities: blocking }) => (
          <Fact key={component} title={`In ${component}`}>
            {modeOf(id, [...(pipeline.modes ?? []), ...(modes ?? [])])}
            {blocking && !blocking.includes(rule.severity) && `, ${rule.severity} blocks nothing`}
          </Fact>
        ))}
        {cwe !== undefined && <Fact title="Class">{cwe}</Fact>}
      </dl>
      <Figures id={id} sums={sums} />
      {abilities.value.has('rules') && (
        <p>
          <a href={pageLink('rules', { rule: id }).replace('#/rules', '#/rules/edit')}>
            Change its severity or mode
          </a>
        </p>
      )}
      <Folded title="Who changed it">{() => <WhoChanged id={id} />}</Folded>
      {source.startsWith('https://') && (
        <p>
          <a href={source} target="_blank" rel="noreferrer">
            Where it comes from
          </a>
        </p>
      )}
    </aside>
  );
}

/** Revisions whose texts are compared, the newest. */
const COMPARED_MAX = 20;

/** The revisions that say something else about a rule than the revision before them. */
function WhoChanged({ id }: { id: string }) {
  const found = useSignal<Revision[] | null>(null);
  const failure = useSignal<Failure | null>(null);
  useEffect(() => {
    const compare = async () => {
      const list = await ask<Revision[]>('rules/revisions');
      if (list.kind !== 'data') return list;
      const newest = list.data.slice(0, COMPARED_MAX + 1);
      const texts: string[] = [];
      for (const { number } of newest) {
        const file = await ask<ShownRules>(`rules/revisions/${number}`);
        if (file.kind !== 'data') return file;
        texts.push(aboutRule(file.data, id));
      }
      const first = aboutRule({}, id);
      found.value = newest
        .slice(0, COMPARED_MAX)
        .filter((_revision, index) => texts[index] !== (texts[index + 1] ?? first));
      return null;
    };
    compare()
      .then((reply) => {
        if (reply?.kind === 'failure') failure.value = reply;
      })
      .catch(() => undefined);
  }, [id]);
  if (failure.value !== null) return <FailureBox failure={failure.value} />;
  if (found.value === null) return <p class="quiet">Comparing the revisions…</p>;
  if (found.value.length === 0) {
    return <p class="quiet">None of the newest {COMPARED_MAX} revisions changed it.</p>;
  }
  return (
    <ul class="history">
      {found.value.map(({ number, added_at, added_by, comment }) => (
        <li key={number}>
          <a href={`#/rules/revisions/${number}`}>Revision {number}</a> by{' '}
          <Untrusted text={added_by} max={120} /> <Time at={added_at} />
          {comment !== '' && (
            <>
              : <Untrusted text={comment} max={300} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What a rules file says about a rule, as a text to compare. */
function aboutRule(file: ShownRules, id: string): string {
  const { pipeline = {}, components = [], severities = {}, disabled_rules = [] } = file;
  const modes = (all: readonly Mode[] = []) =>
    all.filter(({ rules }) => rules.some((name) => names(name, id)));
  return JSON.stringify([
    SECTIONS.map((section) =>
      (file[section] ?? []).filter((each) => each.id === id || each.report_as === id),
    ),
    disabled_rules.includes(id),
    Object.entries(severities).filter(([name]) => names(name, id)),
    modes(pipeline.modes),
    components.map((one) => [one.id, modes(one.modes)]).filter(([, own]) => own?.length !== 0),
  ]);
}

function Figures({ id, sums }: { id: string; sums: RuleSums | undefined }) {
  return (
    <>
      <dl class="facts">
        <Fact title={`Changes with it in ${DAYS} days`}>{sums?.hits ?? 'few or none'}</Fact>
        <Fact title="Blocked">{sums?.blocked ?? '–'}</Fact>
        <Fact title="Overridden">
          <Overridden of={sums} />
        </Fact>
        <Fact title="False alarms">
          <FalseAlarms of={sums} />
        </Fact>
      </dl>
      <p>
        <a href={pageLink('queue', { q: `is:any rule:${id}` })}>Changes that hold it</a>
      </p>
      <p>
        <a href={`/cra/docs/rules/${encodeURIComponent(id)}.html`}>In the handbook</a>
      </p>
    </>
  );
}

function PatternCard({ pattern, section, isAlone }: Tryable & { isAlone: boolean }) {
  const { description, message, fix, examples } = pattern;
  const [bad] = examples.match;
  const [good] = examples.noMatch;
  return (
    <section class="box">
      {!isAlone && <h2>{description}</h2>}
      <p>
        <Words text={message} />
      </p>
      {fix !== undefined && (
        <p>
          <strong>Fix:</strong> <Words text={fix} />
        </p>
      )}
      <div class="examples">
        <Example title="It finds" text={bad} kind="removed" />
        <Example title="It does not find" text={good} kind="added" />
      </div>
      <Folded title="Try a text">{() => <Try pattern={pattern} section={section} />}</Folded>
      <Folded title="Try a past change">
        {() => <TryChange pattern={pattern} section={section} />}
      </Folded>
      <Folded title="As JSON">
        {() => <Pre text={JSON.stringify(pattern, null, 2)} max={20_000} />}
      </Folded>
    </section>
  );
}

function Example({ title, text, kind }: { title: string; text: string | undefined; kind: string }) {
  if (text === undefined) return null;
  return (
    <figure>
      <figcaption class="quiet">{title}</figcaption>
      <Pre text={text} max={2_000} kind={kind} />
    </figure>
  );
}
