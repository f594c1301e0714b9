import type { ComponentChildren } from 'preact';

/** A state in one or two words; the colour only underlines them. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'good' | 'busy' | 'warning' | 'bad';
  children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
