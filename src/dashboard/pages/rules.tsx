import { useLoaded } from '../api.ts';
import { Answer } from '../lists.tsx';
import { route } from '../route.ts';
import { Editor } from './rule-editor.tsx';
import { RuleList, type ShownRules } from './rule-list.tsx';
import { RulePage } from './rule-page.tsx';
import { History, RevisionPage } from './rule-revisions.tsx';

/**
 * Rules in force (`#/rules`), one of them (`/rule/ID`), revisions and settings (`/revisions`), one
 * revision (`/revisions/N`), and the editor (`/edit`).
 */
export function Page() {
  const { rest } = route.value;
  const number = /^revisions\/(\d+)$/.exec(rest)?.[1];
  const id = /^rule\/(.+)$/s.exec(rest)?.[1];
  if (number !== undefined) return <RevisionPage key={rest} number={Number(number)} />;
  if (rest === 'edit') return <Editor />;
  return rest === 'revisions' ? <History /> : <InForce key={rest} id={id ?? null} />;
}

/** The rules for people: the list has few fields of each, a rule comes with all of them. */
function InForce({ id }: { id: string | null }) {
  const path = id === null ? 'rules/list' : `rules?rule=${encodeURIComponent(id)}`;
  const rules = useLoaded<ShownRules>(path);
  return (
    <Answer of={rules}>
      {(file) => (id === null ? <RuleList file={file} /> : <RulePage file={file} id={id} />)}
    </Answer>
  );
}
