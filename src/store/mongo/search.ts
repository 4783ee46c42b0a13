import type { Collection, Timestamp } from 'mongodb';
import type { ListSearch } from '../contract/records.ts';
import type { RfcDocument } from './documents.ts';
import { countOf, findAll, findFirst, type ListFilter, type Places, QUERIES } from './queries.ts';

/**
 * The rows that a search finds (model/search), and where it stopped looking; null: at the end of
 * the list.
 */
export async function searchRows(
  rfcs: Collection<RfcDocument>,
  list: ListFilter,
  search: ListSearch,
): Promise<{ rows: RfcDocument[]; end: Timestamp | null }> {
  const places = await placesOf(rfcs, list, search);
  if (places === null) return { rows: [], end: null };
  if (search.texts.length === 0) {
    return { rows: await findAll(rfcs, QUERIES.list({ ...list, places })), end: null };
  }
  const { tenant_id } = list;
  const { text, end } = await rarest(rfcs, { tenant_id, places }, search);
  const entries = { tenant_id, text, places };
  const looked = end === null ? entries : { ...entries, places: { ...places, $gte: end } };
  const others = search.texts.filter((other) => other !== text);
  return { rows: await findAll(rfcs, QUERIES.listByTexts(looked, others, list)), end };
}

/** Where the records of the times of a search stand; null: no record is of these times. */
async function placesOf(
  rfcs: Collection<RfcDocument>,
  { tenant_id, places }: ListFilter,
  { until, since }: ListSearch,
): Promise<Places | null> {
  const nearest = async (side: 'until' | 'since', at: string | null) =>
    at === null ? undefined : await findFirst(rfcs, QUERIES.nearest(tenant_id, side, at));
  const [newest, oldest] = await Promise.all([nearest('until', until), nearest('since', since)]);
  if (newest === null || oldest === null) return null;
  return {
    ...places,
    ...(newest === undefined ? {} : { $lte: newest.seq }),
    ...(oldest === undefined ? {} : { $gte: oldest.seq }),
  };
}

/**
 * The text that the fewest records have, as far as a page looks, and where it stops looking; null:
 * at the end of the list. Of texts with more records the rarest one reaches back furthest.
 */
async function rarest(
  rfcs: Collection<RfcDocument>,
  place: Pick<ListFilter, 'tenant_id' | 'places'>,
  { texts, examined }: ListSearch,
): Promise<{ text: string; end: Timestamp | null }> {
  const spans = await Promise.all(
    texts.map(async (text) => {
      const entries = { ...place, text };
      const end = (await findFirst(rfcs, QUERIES.lastExamined(entries, examined)))?.seq ?? null;
      const isCounted = end === null && texts.length > 1;
      const count = isCounted ? await countOf(rfcs, QUERIES.withText(entries, examined)) : examined;
      return { text, end, count };
    }),
  );
  const [first] = spans.toSorted(
    (one, other) => one.count - other.count || (one.end?.compare(other.end ?? 0) ?? 0),
  );
  return first ?? { text: '', end: null };
}
