import { relativeLink } from './links.mjs';
import { escape } from './markdown.mjs';

/**
 * @typedef {object} Content of a file of the site
 * @property {string} file
 * @property {string} title
 * @property {string} content HTML of its main part
 * @property {{ id: string, heading: string, text: string }[]} sections
 */

/** @typedef {{ title: string, pages: { file: string, title: string }[] }} Menu one part of the menu */

/**
 * A whole page: the menu, its content, and what the page contains. It has no style and no script of its own, as the policy of the gateway
 * demands, and every link to another page is relative, so that any server can have the site in any folder.
 * @param {Content} page
 * @param {Menu[]} menus
 */
export function layOut({ file, title, content, sections }, menus) {
  const to = (/** @type {string} */ target) => relativeLink(file, target);
  const inOrder = menus.flatMap(({ pages }) => pages);
  const at = inOrder.findIndex((page) => page.file === file);
  const [before, after] = at < 0 ? [] : [inOrder[at - 1], inOrder[at + 1]];
  const contents = sections.filter(({ id }) => id !== '').slice(1);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Burnish guide</title>
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('style.css')}">
<script type="module" src="${to('guide.js')}"></script>
</head>
<body data-root="${to('index.html').replace(/index\.html$/, '')}">
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="brand"><a href="${to('index.html')}">Burnish guide</a></p>
<search><label for="site-search">Search</label><input id="site-search" type="search" autocomplete="off" placeholder="Search" role="combobox" aria-expanded="false" aria-controls="site-results" aria-autocomplete="list"><ul id="site-results" role="listbox" aria-label="Results" hidden></ul></search>
<ul class="instance"><li><a href="/">Dashboard</a></li><li><a href="/docs">API</a></li><li><a href="/graphiql">GraphiQL</a></li></ul>
</header>
<div class="columns">
<nav class="menu" aria-label="Pages"><details><summary>All pages</summary>
${menus.map((menu) => menuPart(menu, file, to)).join('\n')}
</details></nav>
<main id="main" tabindex="-1">
${content}
<nav class="neighbours" aria-label="Neighbours">${before ? `<a rel="prev" href="${to(before.file)}">← ${escape(before.title)}</a>` : ''}${after ? `<a rel="next" href="${to(after.file)}">${escape(after.title)} →</a>` : ''}</nav>
</main>
${contents.length < 2 ? '' : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${contents.map(({ id, heading }) => `<li><a href="#${id}">${escape(heading)}</a></li>`).join('')}</ul></nav>`}
</div>
</body>
</html>
`;
}

/**
 * @param {Menu} menu
 * @param {string} file the page that is open
 * @param {(target: string) => string} to
 */
function menuPart({ title, pages }, file, to) {
  const items = pages.map((page) => {
    const current = page.file === file ? ' aria-current="page"' : '';
    return `<li><a href="${to(page.file)}"${current}>${escape(page.title)}</a></li>`;
  });
  return `<h2>${escape(title)}</h2><ul>${items.join('')}</ul>`;
}
