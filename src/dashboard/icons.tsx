import {
  Check,
  ChevronDown,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleUser,
  Diamond,
  Flame,
  GitBranch,
  GitCommitHorizontal,
  type IconNode,
  Info,
  Layers,
  Link,
  OctagonX,
  ShieldAlert,
  ShieldCheck,
  TriangleAlert,
} from 'lucide';

/** Icons by what they say on this page (Lucide, https://lucide.dev). */
const ICONS = {
  critical: Flame,
  high: TriangleAlert,
  medium: Diamond,
  low: Circle,
  info: Info,
  blocked: OctagonX,
  draft: CircleDashed,
  rejected: OctagonX,
  overridden: ShieldAlert,
  approved: ShieldCheck,
  passed: CircleCheck,
  superseded: Layers,
  pass: Check,
  fail: OctagonX,
  skipped: CircleDashed,
  branch: GitBranch,
  commit: GitCommitHorizontal,
  link: Link,
  more: ChevronDown,
  person: CircleUser,
} as const satisfies Record<string, IconNode>;

export type IconName = keyof typeof ICONS;

/** All of them. */
export const ICON_NAMES = Object.keys(ICONS) as IconName[];

/** Each as the path of one element, as lists have hundreds of them. */
const PATHS = Object.fromEntries(
  ICON_NAMES.map((name) => [name, ICONS[name].map(pathOf).join('')]),
) as Record<IconName, string>;

/** The shapes that the icons have: paths, circles and lines. */
function pathOf([tag, { d, cx, cy, r, x1, y1, x2, y2 }]: IconNode[number]): string {
  if (tag === 'path') return `M0 0${d}`;
  if (tag === 'line') return `M${x1} ${y1}L${x2} ${y2}`;
  return `M${Number(cx) - Number(r)} ${cy}a${r} ${r} 0 1 0 ${2 * Number(r)} 0a${r} ${r} 0 1 0 ${-2 * Number(r)} 0`;
}

/** A drawing beside words that say the same, so screen readers pass over it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
