import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from './markdown.mjs';

/** The page that lists the others, in the order in which their readers need them. */
export const HOME = 'docs/README.md';

/**
 * @typedef {object} Page
 * @property {string} source path of its Markdown from the root
 * @property {string} file its file in the site
 * @property {string} title
 */

/**
 * @typedef {object} Group of pages for one reader
 * @property {string} title
 * @property {Page[]} pages
 */

/**
 * Every Markdown page of the package: what its manifest lists, so that the site and the package have the same pages.
 * @param {string} root
 * @returns {Map<string, Page>} by source
 */
export function findPages(root) {
  /** @type {{ files: string[] }} */
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const excluded = files.filter((path) => path.startsWith('!')).map((path) => `${path.slice(1)}/`);
  const sources = [
    'README.md',
    ...files.filter((path) => !/^!|^dist$/.test(path)).flatMap((path) => below(root, path)),
  ];
  const pages = sources
    .filter((source) => !excluded.some((folder) => source.startsWith(folder)))
    .map((source) => ({ source, file: fileOf(source), title: titleOf(readFileSync(join(root, source), 'utf8')) }));
  return new Map(pages.map((page) => [page.source, page]));
}

/**
 * @param {string} root
 * @param {string} path
 */
function below(root, path) {
  const whole = join(root, path);
  if (path.endsWith('.md')) return existsSync(whole) ? [path] : [];
  if (/\.\w+$/.test(path) || !existsSync(whole)) return [];
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => posix.join(path, name.replaceAll('\\', '/')));
}

/** @param {string} source */
function fileOf(source) {
  if (source === HOME) return 'index.html';
  if (source === 'README.md') return 'introduction.html';
  const name = source.replace(/(\/README)?\.md$/, '').replace(/^docs\/|^packages\/|(?<=\/)docs\//g, '');
  return `${name.replaceAll('/', '-').toLowerCase()}.html`;
}

/**
 * The heading of a page, up to its colon.
 * @param {string} text
 */
function titleOf(text) {
  const [, heading = ''] = /^# (.+)$/m.exec(text) ?? [];
  return heading.replaceAll('`', '').split(':')[0] ?? heading;
}

/**
 * The menu: the lists of the home page, each with the pages that no list before it has.
 * @param {string} root
 * @param {Map<string, Page>} pages
 * @returns {Group[]}
 */
export function groupPages(root, pages) {
  /** @type {Group[]} */
  const groups = [];
  const seen = new Set([HOME]);
  for (const token of parse(readFileSync(join(root, HOME), 'utf8'))) {
    if (token.type === 'inline' && token.level === 1 && token.meta?.heading === 2)
      groups.push({ title: token.content, pages: [] });
    for (const child of token.children ?? []) {
      const target = child.type === 'link_open' ? String(child.attrGet('href')).split('#')[0] : undefined;
      const source = target && posix.join(posix.dirname(HOME), target);
      const page = source && (pages.get(source) ?? pages.get(`${source}/README.md`));
      const group = groups.at(-1);
      if (!page || !group || seen.has(page.source)) continue;
      seen.add(page.source);
      group.pages.push(page);
    }
  }
  const rest = [...pages.values()].filter(({ source }) => !seen.has(source));
  return rest.length === 0 ? groups : [...groups, { title: 'More', pages: rest }];
}
