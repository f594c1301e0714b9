import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { escape, plainText } from './markdown.mjs';

/** @typedef {import('markdown-it').Token} Token */

/**
 * @typedef {object} Site what a link can lead to
 * @property {string} root
 * @property {Map<string, import('./pages.mjs').Page>} pages
 * @property {Map<string, { address: string, summary: string }>} operations from `POST /v1/uploads`, and the names of GraphQL, to a file with an anchor
 * @property {string | undefined} files address of the files in the repository
 * @property {(source: string) => boolean} inPackage whether the package has a file or folder
 * @property {Set<string>} copied files and folders that pages link to
 */

/** Folder of the site with files that are no pages. */
const FILES = 'files';

/** @param {string} source a file or folder of the package */
export const fileLink = (source, isFolder = false) =>
  `${FILES}/${source.replace(/\/$/, '')}${isFolder ? '/index.html' : ''}`;

/**
 * The address of one file of the site, seen from another.
 * @param {string} from
 * @param {string} to
 */
export const relativeLink = (from, to) => posix.relative(posix.dirname(from), to) || posix.basename(to);

/**
 * Lets the links of a page lead into the site, names pages by their titles, and links each operation that the page
 * names in code.
 * @param {Token[]} tokens
 * @param {import('./pages.mjs').Page} page
 * @param {Site} site
 * @returns {{ tokens: Token[], named: Set<string> }} and the operations that the page names, as their addresses in the site
 */
export function linkPage(tokens, page, site) {
  /** @type {Set<string>} */
  const named = new Set();
  const linked = tokens.flatMap((token) => {
    if (token.children) token.children = linkInline(token.children, page, site, named);
    const called = token.type === 'fence' ? operationsIn(token.content, site) : [];
    for (const { address } of called) named.add(address);
    return called.length === 0 ? [token] : [token, linksBelow(token, called, page)];
  });
  return { tokens: linked, named };
}

/**
 * The operations that a program calls: by commands of curl, and by the names of GraphQL.
 * @param {string} code
 * @param {Site} site
 */
function operationsIn(code, { operations }) {
  const keys = [...operations.keys()];
  const called = code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => {
      const [, path] = /\$BURNISH(\/[^\s"'?]*)/.exec(line) ?? [];
      const sends = / (-d|-F|--data\S*|--form) /.test(line) ? 'POST' : 'GET';
      const method = / -X ([A-Z]+)/.exec(line)?.[1] ?? sends;
      const like = (/** @type {string} */ key) =>
        new RegExp(`^${key.replace(/\{\w+\}/g, '\\$\\w+')}$`).test(`${method} ${path}`);
      return path === undefined ? [] : keys.filter(like);
    });
  const names = [...code.matchAll(/\b[a-z]+[A-Z]\w*\b/g)].map(([name]) => name);
  const found = [...called, ...names].flatMap((key) => operations.get(key) ?? []);
  return [...new Map(found.map((operation) => [operation.address, operation])).values()];
}

/**
 * @param {Token} token a program
 * @param {{ address: string, summary: string }[]} called
 * @param {import('./pages.mjs').Page} page
 */
function linksBelow(token, called, page) {
  const Token = /** @type {new (type: string, tag: string, nesting: number) => Token} */ (token.constructor);
  const links = called.map(
    ({ address, summary }) => `<a href="${relativeLink(page.file, address)}">${escape(summary)}</a>`,
  );
  const below = new Token('html_block', '', 0);
  below.content = `<p class="pages">Reference: ${links.join(' · ')}</p>\n`;
  return below;
}

/**
 * @param {Token[]} children
 * @param {import('./pages.mjs').Page} page
 * @param {Site} site
 * @param {Set<string>} named
 */
function linkInline(children, page, site, named) {
  /** @type {Token[]} */
  const linked = [];
  /** Whether the link that is open stays */
  let open;
  for (const [index, child] of children.entries()) {
    if (child.type === 'link_open') {
      const target = resolve(String(child.attrGet('href')), page, site);
      open = target !== undefined;
      if (target === undefined) continue;
      child.attrSet('href', target.href);
      const text = children[index + 1];
      if (target.title && text && /^[\w-]+\.md$/.test(text.content)) text.content = target.title;
    } else if (child.type === 'link_close') {
      const stays = open;
      open = undefined;
      if (!stays) continue;
    } else if (child.type === 'image') {
      const target = resolve(String(child.attrGet('src')), page, site);
      child.attrSet('src', target?.href ?? '');
    } else if (child.type === 'code_inline' && open === undefined) {
      const operation = site.operations.get(child.content.replace(/\?.*$/, ''));
      if (operation) {
        named.add(operation.address);
        linked.push(...linkAround(child, relativeLink(page.file, operation.address)));
        continue;
      }
    }
    linked.push(child);
  }
  return linked;
}

/**
 * @param {Token} token
 * @param {string} href
 * @returns {Token[]}
 */
function linkAround(token, href) {
  const Token = /** @type {new (type: string, tag: string, nesting: number) => Token} */ (token.constructor);
  const open = new Token('link_open', 'a', 1);
  open.attrSet('href', href);
  return [open, token, new Token('link_close', 'a', -1)];
}

/**
 * @param {string} target
 * @param {import('./pages.mjs').Page} page
 * @param {Site} site
 * @returns {{ href: string, title?: string } | undefined} undefined where nothing of the site or the repository fits
 */
function resolve(target, page, site) {
  if (/^([a-z]+:|\/|#)/.test(target)) return { href: target };
  const [path = '', anchor] = target.split('#');
  const source = posix.join(posix.dirname(page.source), path).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const found = site.pages.get(source) ?? site.pages.get(`${source}/README.md`);
  if (found) return { href: relativeLink(page.file, found.file) + hash, title: found.title };
  const whole = join(site.root, source);
  if (!existsSync(whole)) return undefined;
  if (!site.inPackage(source)) return site.files === undefined ? undefined : { href: `${site.files}/${source}${hash}` };
  site.copied.add(source);
  return { href: relativeLink(page.file, fileLink(source, statSync(whole).isDirectory())) };
}

/**
 * The parts of a page between headings, for the search.
 * @param {readonly Token[]} tokens
 * @returns {{ id: string, heading: string, text: string }[]}
 */
export function sectionsOf(tokens) {
  /** @type {{ id: string, heading: string, text: string }[]} */
  const sections = [];
  for (const token of tokens) {
    if (token.meta?.heading) sections.push({ id: token.meta.id, heading: plainText(token), text: '' });
    const section = sections.at(-1);
    if (section === undefined || token.meta?.heading) continue;
    if (token.type === 'inline') section.text += `${plainText(token)} `;
    else if (token.type === 'fence') section.text += `${token.content} `;
  }
  return sections;
}
