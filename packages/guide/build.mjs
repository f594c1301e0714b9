import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { repositoryUrl } from '../../scripts/package/repository-url.mjs';
import { eventsPage, readEvents } from './src/events.mjs';
import { layOut } from './src/layout.mjs';
import { fileLink, linkPage, sectionsOf } from './src/links.mjs';
import { escape, parse, render } from './src/markdown.mjs';
import { findPages, groupPages } from './src/pages.mjs';
import { showPrograms } from './src/programs.mjs';
import { recordsPage } from './src/records.mjs';
import { readReference, referencePages } from './src/reference.mjs';
import { SEARCH_OPTIONS } from './site/search-options.js';

/** @typedef {import('./src/layout.mjs').Content} Content */

/**
 * Writes the Markdown pages of the package and the reference of its interfaces as a site of static files, with an index for the search.
 * @param {string} root
 * @param {string} outDir it is replaced
 */
export async function buildGuide(root, outDir) {
  const pages = findPages(root);
  const reference = readReference(root);
  const { document, addresses } = reference;
  const events = readEvents(document);
  for (const { kind, address, summary } of events) addresses.set(kind, { address, summary });
  const url = await repositoryUrl(root);
  const { version, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  /** @type {import('./src/links.mjs').Site} */
  const site = {
    root,
    pages,
    operations: addresses,
    files: url && `${url}/blob/v${version}`,
    inPackage: (source) => isListed(source, files),
    copied: new Set(),
  };
  /** @type {Map<string, Set<import('./src/pages.mjs').Page>>} */
  const naming = new Map();
  /** @type {Content[]} */
  const contents = [];
  for (const page of pages.values()) {
    const parsed = showPrograms(parse(readFileSync(join(root, page.source), 'utf8')), page, root);
    const { tokens, named } = linkPage(parsed, page, site);
    for (const operation of named) naming.set(operation, (naming.get(operation) ?? new Set()).add(page));
    contents.push({ file: page.file, title: page.title, content: render(tokens), sections: sectionsOf(tokens) });
  }
  const pagesOf = (/** @type {string} */ address) => [...(naming.get(address) ?? [])];
  const resources = referencePages(reference, pagesOf);
  const described = [...resources, eventsPage(document, events, pagesOf), recordsPage(document)];
  contents.push(...described);
  const [first, ...others] = groupPages(root, pages);
  const menus = [...(first ? [first] : []), { title: 'Reference of REST and GraphQL', pages: described }, ...others];
  rmSync(outDir, { recursive: true, force: true });
  write(outDir, 'search-index.json', searchIndex(contents));
  for (const content of contents) write(outDir, content.file, layOut(content, menus));
  for (const source of site.copied) copy(site, source, outDir, menus);
  const folder = import.meta.dirname;
  cpSync(join(folder, 'site'), outDir, { recursive: true });
  // The colours and the icon are those of the dashboard.
  const dashboard = join(folder, '..', 'dashboard', 'src', 'styles');
  const styles = [join(dashboard, 'tokens.css'), join(folder, 'site', 'style.css')];
  write(outDir, 'style.css', styles.map((path) => readFileSync(path, 'utf8')).join('\n'));
  copyFile(join(dashboard, 'icon.svg'), join(outDir, 'icon.svg'));
  copyFile(fileURLToPath(import.meta.resolve('minisearch')), join(outDir, 'minisearch.js'));
}

/**
 * @param {string} source
 * @param {readonly string[]} files of the manifest
 */
function isListed(source, files) {
  const covers = (/** @type {string} */ path) => source === path || source.startsWith(`${path}/`);
  return files.some((path) => covers(path)) && !files.some((path) => path.startsWith('!') && covers(path.slice(1)));
}

/** @param {readonly Content[]} contents */
function searchIndex(contents) {
  const index = new MiniSearch(SEARCH_OPTIONS);
  for (const { file, title, sections } of contents) {
    for (const { id, heading, text } of sections)
      index.add({ id: `${file}#${id}`, title, heading, text, start: text.slice(0, 160) });
  }
  return JSON.stringify(index);
}

/**
 * Copies what a page links to. A folder gets a page that lists its files.
 * @param {import('./src/links.mjs').Site} site
 * @param {string} source
 * @param {string} outDir
 * @param {import('./src/layout.mjs').Menu[]} menus
 */
function copy({ root }, source, outDir, menus) {
  const whole = join(root, source);
  if (!statSync(whole).isDirectory()) {
    copyFile(whole, join(outDir, fileLink(source)));
    return;
  }
  const names = readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => !/(^|\/)(node_modules|\.[^/]+)(\/|$)/.test(name) && statSync(join(whole, name)).isFile())
    .sort();
  for (const name of names) copyFile(join(whole, name), join(outDir, fileLink(posix.join(source, name))));
  const items = names.map((name) => `<li><a href="${name}">${escape(name)}</a></li>`).join('\n');
  const file = fileLink(source, true);
  const content = `<h1>${escape(source)}</h1>\n<ul>\n${items}\n</ul>`;
  write(outDir, file, layOut({ file, title: source, content, sections: [] }, menus));
}

/**
 * @param {string} from
 * @param {string} to
 */
function copyFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

/**
 * @param {string} outDir
 * @param {string} file
 * @param {string} text
 */
function write(outDir, file, text) {
  const path = join(outDir, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
