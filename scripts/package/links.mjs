import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A link or a picture of Markdown, with its mark of a picture, its text and its target. */
const LINK = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g;
const CODE = /^```.*?^```/gms;

/**
 * Lets every relative link of the Markdown pages of a package lead to a file. One to a file that the package lacks leads to the repository,
 * or becomes its text where no repository is public.
 * @param {string} folder of the package; its `node_modules` stay as they are
 * @param {string} root
 * @param {string} place of the package in the clone, such as `packages/client`
 * @param {string | undefined} files address of the files of the version in the repository
 */
export function mendLinks(folder, root, place, files) {
  for (const name of pagesBelow(folder)) {
    const page = join(folder, name);
    const text = readFileSync(page, 'utf8');
    const mended = outsideOfCode(text, (prose) =>
      prose.replace(LINK, (link, picture, words, target) => {
        const [path = ''] = target.split('#');
        if (path === '' || /^[a-z]+:/.test(target) || isInside(folder, join(dirname(page), path))) return link;
        const linked = join(place, dirname(name), target).replaceAll('\\', '/');
        const isFile = isInside(root, join(root, place, dirname(name), path));
        return files !== undefined && isFile ? `${picture}[${words}](${files}/${linked})` : words;
      }),
    );
    if (mended !== text) writeFileSync(page, mended);
  }
}

/**
 * @param {string} folder
 * @param {string} path
 */
const isInside = (folder, path) => existsSync(path) && !relative(folder, path).startsWith('..');

/** @param {string} folder */
const pagesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !name.split(/[\\/]/).includes('node_modules'));

/**
 * @param {string} text
 * @param {(prose: string) => string} change
 */
function outsideOfCode(text, change) {
  const codes = text.match(CODE) ?? [];
  return text
    .split(CODE)
    .map((prose, i) => change(prose) + (codes[i] ?? ''))
    .join('');
}
