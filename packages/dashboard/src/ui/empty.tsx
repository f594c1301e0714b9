import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** The placeholder of an empty list: its future content, and the first step. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
    </div>
  );
}
