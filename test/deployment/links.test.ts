import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository.ts';

/** Every Markdown page at the root and in docs/, relative to the root. */
async function pages(): Promise<string[]> {
  const atRoot = (await readdir(repositoryRoot)).filter((name) => name.endsWith('.md'));
  const inDocs = (await readdir(join(repositoryRoot, 'docs'), { recursive: true })).filter((name) =>
    name.endsWith('.md'),
  );
  return [...atRoot, ...inDocs.map((name) => join('docs', name))];
}

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

it('every relative link of README, CONTRIBUTING and docs leads to a file, and to a heading where it names one', async () => {
  const dead: string[] = [];
  let links = 0;
  for (const page of await pages()) {
    const path = join(repositoryRoot, page);
    const text = await readFile(path, 'utf8');
    for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      links += 1;
      const [file = '', anchor] = target!.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      const isHere = existsSync(linked) && !relative(repositoryRoot, linked).startsWith('..');
      const hasAnchor = anchor === undefined || (isHere && anchorsOf(await readFile(linked, 'utf8')).has(anchor));
      if (!isHere || !hasAnchor) dead.push(`${page}: ${target}`);
    }
  }
  expect(links).toBeGreaterThan(30);
  expect(dead).toEqual([]);
});

it('every source, test and script that CONTRIBUTING.md names exists', async () => {
  const text = await readFile(join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|scripts)\/[\w./-]+)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
});
