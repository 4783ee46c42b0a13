import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Loaded, LoadedList } from './api.ts';
import { Field, type FieldKind } from './forms.tsx';
import { FailureBox, Loading } from './parts.tsx';
import { type PageName, pageLink } from './route.ts';

/** What pages that show lists share: title, filters, the table and its states. */

/** Names the page in the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · cra`;
  }, [title]);
}

/** Data when it is there; before that, and beside old data, why there is no newer. */
export function Answer<T>(props: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, failure, isLoading, reload } = props.of;
  return (
    <>
      {failure.value !== null && <FailureBox failure={failure.value} retry={reload} />}
      {data.value === null && isLoading.value && <Loading />}
      {data.value !== null && props.children(data.value)}
    </>
  );
}

/** A table with a head; `children` are its rows. */
export function Table(props: {
  columns: readonly string[];
  kind?: string;
  children: ComponentChildren;
}) {
  return (
    <table class={`rows ${props.kind ?? ''}`}>
      <thead>
        <tr>
          {props.columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

interface ListingProps<T> {
  list: LoadedList<T>;
  /** The rows to show; absent: all rows that were fetched. */
  rows?: T[] | null;
  columns: readonly string[];
  kind?: string;
  /** Stands where there are no rows. */
  empty: ComponentChildren;
  /** A `tr` with its key. */
  children: (row: T) => ComponentChildren;
}

/** A list in each of its states: failed, on its way, empty, there, and with more to come. */
export function Listing<T>(props: ListingProps<T>) {
  const { list, rows = list.rows, columns, kind = '', empty, children } = props;
  return (
    <>
      {list.failure.value !== null && (
        <FailureBox failure={list.failure.value} retry={list.reload} />
      )}
      {rows === null && list.isLoading && <Loading />}
      {rows?.length === 0 && empty}
      {rows !== null && rows.length > 0 && (
        <Table columns={columns} kind={kind}>
          {rows.map(children)}
        </Table>
      )}
      {list.hasOlder && (
        <p class="actions">
          <button type="button" onClick={() => void list.loadOlder()}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

type Filters = Readonly<Record<string, string>>;

interface FilterFormProps {
  page: PageName;
  /** All filters of the address; filters without a field stay as they are. */
  filters: Filters;
  /** By the name of the filter. The first one takes the focus by `/`. */
  fields: Readonly<Record<string, { title: string } & FieldKind>>;
  button?: string;
  children?: ComponentChildren;
}

/** The field of most lists. */
export const REPOSITORY_FIELD = { repo: { title: 'Repository', type: 'search' } } as const;

/** Filters that stand in the address of the page: submitting leads to another address. */
export function FilterForm(props: FilterFormProps) {
  // Another address, also one of the history, brings other values into the fields.
  return <KeyedFilterForm key={JSON.stringify(props.filters)} {...props} />;
}

function KeyedFilterForm({ page, filters, fields, button = 'Filter', children }: FilterFormProps) {
  const typed = useSignal(filters);
  const names = Object.entries(fields);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const values = Object.entries(typed.value).map(([name, value]) => [name, value.trim()]);
        location.hash = pageLink(page, Object.fromEntries(values));
      }}
    >
      {children}
      {names.map(([name, { title, ...kind }], index) => (
        <Field
          key={name}
          title={kind.placeholder === undefined ? title : <span class="unseen">{title}</span>}
          {...kind}
          {...(index === 0 && { id: 'filter' })}
          value={typed.value[name] ?? ''}
          change={(value) => {
            typed.value = { ...typed.value, [name]: value };
          }}
        />
      ))}
      <button type="submit">{button}</button>
    </form>
  );
}

/** Links to the same page, one for each value. */
export function Choices(props: {
  label: string;
  values: readonly string[];
  /** The value in force. */
  current: string | undefined;
  link: (value: string) => string;
  text: (value: string) => ComponentChildren;
}) {
  const { label, values, current, link, text } = props;
  return (
    <nav aria-label={label} class="choices">
      {values.map((each) => (
        <a
          key={each}
          href={link(each)}
          {...(each === current && { 'aria-current': 'true' as const })}
        >
          {text(each)}
        </a>
      ))}
    </nav>
  );
}
