import { rfcLink, route } from '../route.ts';

interface ViewChoicesProps {
  /** Of the parameter of the address. */
  name: string;
  /** The first one is what stands without it, ''. */
  values: readonly string[];
  text: (value: string) => string;
}

/** How a tab of an RFC shows its things: kept in the address, as a link to it shows the same. */
export function ViewChoices({ name, values, text }: ViewChoicesProps) {
  const { rest, query } = route.value;
  const linkTo = (value: string) => {
    const next = new URLSearchParams(query);
    next.set(name, value);
    if (value === '') next.delete(name);
    return `${rfcLink(rest)}?${next}`;
  };
  return (
    <nav aria-label="View" class="choices">
      {values.map((value) => (
        <a
          key={value}
          href={linkTo(value)}
          {...(value === (query.get(name) ?? '') && { 'aria-current': 'true' as const })}
        >
          {text(value)}
        </a>
      ))}
    </nav>
  );
}
