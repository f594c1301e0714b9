import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');

/** Anchors of the headings, as GitHub derives them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Every Markdown page below a folder, outside of `node_modules`, relative to it. */
export async function pagesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
}

/**
 * Opens each relative link and picture of pages, and finds the heading that it names.
 * @param pages relative to the folder
 * @returns how many there are, and the dead ones as `page: target`
 */
export async function openLinks(folder: string, pages: readonly string[]): Promise<{ links: number; dead: string[] }> {
  const dead: string[] = [];
  let links = 0;
  for (const page of pages) {
    const path = join(folder, page);
    const text = await readFile(path, 'utf8');
    for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      links += 1;
      const [file = '', anchor] = target!.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      const isHere = existsSync(linked) && !relative(folder, linked).startsWith('..');
      const hasAnchor = anchor === undefined || (isHere && anchorsOf(await readFile(linked, 'utf8')).has(anchor));
      if (!isHere || !hasAnchor) dead.push(`${page}: ${target}`);
    }
  }
  return { links, dead };
}
