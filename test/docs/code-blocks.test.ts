import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { codeBlocks, commandsOf, RUN_ELSEWHERE } from './code-blocks.ts';

/** Languages of settings and answers. Blocks without a language are output and drawings. */
const NO_PROGRAMS = ['', 'ini', 'json', 'yaml'];
/** The start of a line that is a command. */
const COMMAND = /^(?:npx|npm|node|burnish|curl|docker|helm|kubectl|temporal|cp|git|export|bash|apt-get) /m;

const blocks = await codeBlocks();
const named = ({ page, line }: { page: string; line: number }): string => `${page}:${line}`;

test('commands.test.ts runs each shell block, and another test each program, or a comment says why none can', () => {
  const programs = blocks.filter(({ language }) => !NO_PROGRAMS.includes(language));
  expect(programs.length).toBeGreaterThan(40);
  const forgotten = programs.filter(
    ({ page, language, notRun, code }) =>
      notRun === undefined &&
      !(page in RUN_ELSEWHERE) &&
      language !== 'sh' &&
      !(language === 'js' && /^\/\/ [\w.-]+\.mjs$/m.test(code)),
  );
  expect(forgotten.map(named)).toEqual([]);
});

test('a block without a language has no command, which no test would run', () => {
  const hidden = blocks.filter(({ language, code }) => NO_PROGRAMS.includes(language) && COMMAND.test(code));
  expect(hidden.map(named)).toEqual([]);
});

test('each page that another test runs is read by that test', async () => {
  for (const [page, path] of Object.entries(RUN_ELSEWHERE)) {
    expect(blocks.some((block) => block.page === page)).toBe(true);
    expect(await readFile(join(repositoryRoot, path), 'utf8')).toContain('README.md');
  }
});

test('each test that a comment names exists', async () => {
  const paths = blocks.flatMap(({ notRun = '' }) => notRun.match(/\b(?:test|packages)\/[\w/.-]+\.ts/g) ?? []);
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) await expect(readFile(join(repositoryRoot, path))).resolves.toBeInstanceOf(Buffer);
});

test('a block is split into its commands, with all their lines', () => {
  const code = "# a note\nexport A=1\ncurl x \\\n  -d '{\n  }'   # text\nfor i in 1 2; do\n  echo $i\ndone\n";
  const commands = ['export A=1', "curl x \\\n  -d '{\n  }'   # text", 'for i in 1 2; do\n  echo $i\ndone'];
  // A comment is no command, and belongs to the next one at most.
  expect(commandsOf(code)).toEqual(commands);
});
