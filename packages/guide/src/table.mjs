/**
 * A table that scrolls inside of the page, and with keys once it has the focus.
 * @param {string} title
 * @param {string[]} heads
 * @param {string[]} rows HTML
 * @param {string} caption HTML; empty: none
 */
export const table = (title, heads, rows, caption = title) =>
  `<div class="table" tabindex="0" role="region" aria-label="${title}"><table>${caption === '' ? '' : `<caption>${caption}</caption>`}
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>`;
