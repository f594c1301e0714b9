import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** The only h1 of a page, which sets the title of the document and receives the focus when the page opens; actions are beside it. */
export function PageHeader({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  children?: ComponentChildren;
}) {
  // Sets the title together with the heading, so that both always agree.
  useLayoutEffect(() => void (document.title = `${title} · Burnish`), [title]);
  return (
    <header class="page-header">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </header>
  );
}
