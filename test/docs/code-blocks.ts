import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownPages } from '../support/markdown-pages.ts';
import { repositoryRoot } from '../support/repository.ts';

/** A fenced block of a page. */
export interface CodeBlock {
  page: string;
  /** Of its first fence, from 1 */
  line: number;
  /** Empty for output, settings and drawings */
  language: string;
  code: string;
  /** Why no test runs it: `<!-- not run: … -->` before the block */
  notRun: string | undefined;
}

/** Pages whose blocks another test runs, since they need an installed package or processes of their own. */
export const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'packages/client/README.md': 'test/e2e/client-package.test.ts',
  'packages/engine/README.md': 'packages/engine/test/readme.test.ts',
  'packages/jail/README.md': 'packages/jail/test/readme.full.ts',
  'packages/pdf/README.md': 'packages/pdf/test/readme.test.ts',
};

export async function codeBlocks(): Promise<CodeBlock[]> {
  return (await Promise.all((await markdownPages()).sort().map(blocksOf))).flat();
}

async function blocksOf(page: string): Promise<CodeBlock[]> {
  const text = await readFile(join(repositoryRoot, page), 'utf8').catch(() => '');
  const fenced = /(?:^<!-- not run: (.+) -->\n\n)?^```(\w*)[^\n]*\n(.*?)^```$/gms;
  return [...text.matchAll(fenced)].map(({ index, 1: notRun, 2: language, 3: code }) => {
    const line = text.slice(0, index).split('\n').length + (notRun === undefined ? 0 : 2);
    return { page, line, language: language!, code: code!, notRun };
  });
}

/** The commands of a shell block, each with all its lines, as a person enters them. */
export function commandsOf(code: string): string[] {
  const commands: string[] = [];
  let lines = '';
  for (const line of code.trimEnd().split('\n')) {
    lines += `${line}\n`;
    if (line.endsWith('\\') || spawnSync('bash', ['-n'], { input: lines }).status !== 0) continue;
    if (!/^\s*(#|$)/.test(lines)) commands.push(lines.trim());
    lines = '';
  }
  if (lines !== '') throw new Error(`This is no complete command: ${lines}`);
  return commands;
}
