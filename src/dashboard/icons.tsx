import {
  Check,
  ChevronDown,
  Circle,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleUser,
  Clock,
  EyeOff,
  GitBranch,
  GitCommitHorizontal,
  type IconNode,
  Info,
  Layers,
  Link,
  Menu,
  OctagonAlert,
  OctagonX,
  ShieldAlert,
  ShieldCheck,
  TriangleAlert,
} from 'lucide';
import { h } from 'preact';

/** Icons by what they say on this page (Lucide, https://lucide.dev). */
const ICONS = {
  critical: OctagonAlert,
  high: TriangleAlert,
  medium: CircleAlert,
  low: Info,
  info: Circle,
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
  menu: Menu,
  more: ChevronDown,
  person: CircleUser,
  time: Clock,
  unread: EyeOff,
} as const satisfies Record<string, IconNode>;

export type IconName = keyof typeof ICONS;

/** A drawing beside words that say the same, so screen readers pass over it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {ICONS[name].map(([tag, attributes]) => h(tag, attributes as Record<string, string>))}
    </svg>
  );
}
