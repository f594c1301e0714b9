import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from './repository.ts';

/**
 * The example files of a page of docs/, by name. A block that starts with ```` ```go file=main.go ```` is the file main.go.
 * @param language the language of the blocks
 */
export async function documentedFiles(page: string, language: string): Promise<Map<string, string>> {
  const text = await readFile(join(repositoryRoot, 'docs', page), 'utf8');
  const blocks = text.matchAll(new RegExp(`\`\`\`${language} file=(\\S+)\\n(.*?)\`\`\``, 'gs'));
  return new Map([...blocks].map(([, name, content]) => [name!, content!]));
}
