import { html } from './html.ts';
import type { Html } from './html.ts';

/** The little Markdown that our descriptions use: paragraphs, `code` and tables. */
export function prose(text: string | undefined): Html[] {
  return (text ?? '')
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((block) => (block.startsWith('|') ? table(block) : html`<p>${inline(block)}</p>`));
}

export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

function table(block: string): Html {
  const [head, , ...rows] = block.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          ${head!.map((cell) => html`<th>${inline(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
