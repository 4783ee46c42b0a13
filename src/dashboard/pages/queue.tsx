import type { RfcStatus } from '../../model/rfc.ts';
import { Icon } from '../icons.tsx';
import { Later } from '../later.tsx';
import { FilterForm, useTitle } from '../lists.tsx';
import { pageLink, route } from '../route.ts';
import { statusCounts, termFor, termOf, withTerm } from '../search.ts';
import { counted, pulse } from '../session.ts';
import { Changes } from './queue-rows.tsx';
import { SavedViews, SaveView } from './saved-views.tsx';

/** Stands for no filter: without one, the queue shows what waits for a decision. */
const ALL = 'ALL';

/** Emergency overrides that somebody has to review. */
const EMERGENCIES = 'EMERGENCIES';

/** The filters, in the order in which lists show them. */
const STATUSES = [
  ...(['BLOCKED', 'DRAFT', 'REJECTED', 'OVERRIDDEN'] as const),
  ...(['APPROVED', 'PASSED', 'SUPERSEDED'] as const),
] as const satisfies readonly RfcStatus[];

/** RFCs that a search finds, which stands in the address: a view that is saved is a link. */
export function QueuePage() {
  useTitle('Queue');
  const { query } = route.value;
  const isReviews = query.get('status') === EMERGENCIES;
  const q = isReviews ? (query.get('q') ?? '') : searchIn(query);
  return (
    <section>
      <header class="search-head">
        <h1>Queue</h1>
        <FilterForm page="queue" filters={{ q }} fields={SEARCH_FIELD} button="Search" />
        {!isReviews && <SaveView key={q} q={q} />}
      </header>
      <div class="list-head">
        <Views q={q} isReviews={isReviews} />
        <SavedViews q={q} />
      </div>
      {isReviews ? (
        <Later load={loadEmergencies} props={{ repo: termOf(q, 'repo') ?? '' }} />
      ) : (
        <Changes key={q} q={q} />
      )}
    </section>
  );
}

const loadEmergencies = () => import('./emergencies.tsx');

const SEARCH_FIELD = {
  q: {
    title: 'Search',
    type: 'search',
    placeholder: 'repo:acme/shop rule:vuln-01 severity:high author:me age:>3d text',
  },
} as const;

/** The search of an address; links name a status or a repository, too. */
function searchIn(query: URLSearchParams): string {
  const q = query.get('q');
  if (q !== null) return q;
  const status = query.get('status') ?? 'BLOCKED';
  const repo = query.get('repo');
  return [`is:${status === ALL ? ANY : status.toLowerCase()}`, repo ? termFor('repo', repo) : '']
    .join(' ')
    .trim();
}

const ANY = 'any';

/** Views of one person, in place of the search. */
const PERSONAL = [
  ['to decide', 'is:blocked -author:me', 'BLOCKED changes of other people'],
  ['asked of me', 'is:blocked asked:me', 'BLOCKED changes that somebody asked you to decide about'],
  ['my changes', 'author:me', 'Changes with commits of yours'],
] as const;

/** Of all changes the pulse counts them. */
function countOf(status: RfcStatus, rest: string): string {
  if (rest !== '') return statusCounts.value?.rest === rest ? statusCounts.value.of(status) : '';
  return pulse.value === null ? '' : counted(pulse.value, status);
}

/** Links to the same search with another status, and to the views of the person. */
function Views({ q, isReviews }: { q: string; isReviews: boolean }) {
  const isPersonal = PERSONAL.some(([, search]) => search === q);
  const status = isReviews || isPersonal ? null : (termOf(q, 'is') ?? ANY).toUpperCase();
  const current = (is: boolean) => (is ? { 'aria-current': 'true' as const } : {});
  const rest = isReviews || isPersonal ? '' : withTerm(q, 'is', null);
  return (
    <nav aria-label="Status" class="choices">
      {STATUSES.map((each) => (
        <a
          key={each}
          href={pageLink('queue', { q: withTerm(q, 'is', each.toLowerCase()) })}
          {...current(each === status)}
        >
          {each.toLowerCase()}
          <span class="count"> {countOf(each, rest)}</span>
        </a>
      ))}
      <a
        href={pageLink('queue', { q: withTerm(q, 'is', ANY) })}
        {...current(status === ANY.toUpperCase())}
      >
        all
      </a>
      <a
        href={pageLink('queue', { status: EMERGENCIES, q: withTerm(q, 'is', null) })}
        {...current(isReviews)}
      >
        <ToReview />
      </a>
      {PERSONAL.map(([name, search, title], index) => (
        <a
          key={name}
          href={pageLink('queue', { q: search })}
          title={title}
          {...current(q === search)}
        >
          {index === 0 && <Icon name="person" />} {name}
        </a>
      ))}
    </nav>
  );
}

/** How many emergency overrides are to be reviewed. */
function ToReview() {
  const { due, overdue } = pulse.value?.emergencies ?? { due: null, overdue: 0 };
  return (
    <>
      to review
      <span class="count">
        {' '}
        {due !== null && (overdue > 0 ? `${due}, ${overdue} overdue` : due)}
      </span>
    </>
  );
}
