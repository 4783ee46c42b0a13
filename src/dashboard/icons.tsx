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
import { h } from 'preact';

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

/** A drawing beside words that say the same, so screen readers pass over it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {ICONS[name].map(([tag, attributes]) => h(tag, attributes as Record<string, string>))}
    </svg>
  );
}
