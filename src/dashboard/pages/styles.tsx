import type { ComponentChildren } from 'preact';
import { Field, Tick } from '../forms.tsx';
import { ICON_NAMES, Icon } from '../icons.tsx';
import { Table, useTitle } from '../lists.tsx';
import {
  Bar,
  Empty,
  FailureBox,
  Folded,
  Loading,
  SeverityLabel,
  StatusLabel,
  Untrusted,
  Words,
} from '../parts.tsx';
import { say } from '../toast.tsx';

const SIZES = ['small', 'body', 'title', 'head'] as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
const STATUSES = [
  ...(['BLOCKED', 'DRAFT', 'REJECTED', 'OVERRIDDEN'] as const),
  ...(['APPROVED', 'PASSED', 'SUPERSEDED'] as const),
] as const;
const FAILURE = {
  kind: 'failure',
  status: 503,
  error: 'The service is busy',
  requestId: 'q1',
  details: {},
  retryAfterSeconds: 5,
} as const;

/** Everything that pages are made of, to look at while they are built (development mode). */
export function Page() {
  useTitle('Styles');
  return (
    <section>
      <h1>Styles</h1>
      <Part title="Type">
        {SIZES.map((size) => (
          <p key={size} class={`text-${size}`}>
            --text-{size}: a request parameter reaches a shell
          </p>
        ))}
        <p>
          <code>code</code>, <a href="#/styles">link to this page</a>,{' '}
          <span class="quiet">quiet</span>
        </p>
      </Part>
      <Part title="Severities and statuses">
        <p class="actions">
          {SEVERITIES.map((severity) => (
            <SeverityLabel key={severity} severity={severity} />
          ))}
        </p>
        <p class="actions">
          {STATUSES.map((status) => (
            <StatusLabel key={status} status={status} />
          ))}
        </p>
      </Part>
      <Part title="Icons">
        <p class="actions">
          {ICON_NAMES.map((name) => (
            <span key={name}>
              <Icon name={name} /> {name}
            </span>
          ))}
        </p>
      </Part>
      <Part title="Buttons and fields">
        <p class="actions">
          <button type="button" class="main">
            Main
          </button>
          <button type="button">Other</button>
          <button type="button" class="small">
            Small
          </button>
          <button type="button" class="link">
            Link
          </button>
        </p>
        <Field title="Text" value="" change={ignore} />
        <Field title="Choice" options={['', 'one']} value="" change={ignore} />
        <Tick title="To tick" value={false} change={ignore} />
      </Part>
      <Part title="Text of a change">
        <p>
          <Untrusted text={'<b>markup</b> \u202ebackwards'} />, <Words text="parameter `name`" />
        </p>
      </Part>
      <Part title="Table and meter">
        <Table columns={['Repository', 'Risk']}>
          <tr>
            <td>acme/shop</td>
            <td class="number">
              87 <Bar value={87} most={100} />
            </td>
          </tr>
        </Table>
        <Folded title="Folded">{() => <p>Made when it is opened</p>}</Folded>
      </Part>
      <Part title="States">
        <Loading what="a list" />
        <Empty>
          <p>Nothing is here yet. What will be here stands here.</p>
        </Empty>
        <FailureBox failure={FAILURE} retry={ignore} />
        <div class="box warning">A warning</div>
        <div class="box done">Done</div>
        <button type="button" onClick={() => say('Link copied')}>
          Toast
        </button>
      </Part>
    </section>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="box">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function ignore(): void {}
