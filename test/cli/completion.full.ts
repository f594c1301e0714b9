import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { EVENT_KINDS } from '@burnish/contract';
import { addBatchCommand } from '../../src/cli/batch/batch-command.ts';
import { writeCompletion } from '../../src/cli/completion.ts';
import { addEnhanceCommand } from '../../src/cli/enhance/enhance-command.ts';
import { addListenCommand } from '../../src/cli/listen/listen-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeUnless, lackOf, testUnless } from '../support/needs.ts';

const program = new Command('burnish');
const never = () => Promise.reject(new Error('No command runs here.'));
addBatchCommand(program, never);
addEnhanceCommand(program, never);
program.command('pick').option('-s, --size <size>').argument('<color>');
program.commands.at(-1)?.options[0]?.choices(['small', 'large']);
program.commands.at(-1)?.registeredArguments[0]?.choices(['red', 'blue']);

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

const answer = (shell: string, given: readonly string[]): string =>
  execFileSync(shell, given, { cwd: folder.path, encoding: 'utf8', timeout: 30_000 });

/** Answers of real shells for typed words, the last of them unfinished, in the order of the alphabet. */
const SHELLS: Record<'bash' | 'fish', (words: readonly string[]) => string> = {
  bash: (words) => {
    const ask = `${writeCompletion(program, 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _burnish; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return answer('bash', ['--norc', '-uc', ask, 'bash', 'burnish', ...words]);
  },
  fish: (words) =>
    answer('fish', ['-N', '-c', `${writeCompletion(program, 'fish')}\ncomplete -C 'burnish ${words.join(' ')}'`]),
};

for (const shell of ['bash', 'fish'] as const)
  describeUnless(shell === 'fish' ? lackOf('fish') : undefined)(`in ${shell}`, () => {
    const complete = (...words: string[]): string[] =>
      SHELLS[shell](words)
        .split('\n')
        .flatMap((line) => line.split('\t')[0] || [])
        .toSorted();

    test('commands are completed by their beginning', () => {
      expect(complete('')).toEqual(['batch', 'enhance', 'help', 'pick']);
      expect(complete('en')).toEqual(['enhance']);
    });

    test('the commands of a command are completed after it', () => {
      expect(complete('batch', 'ap')).toEqual(['approve']);
      expect(complete('batch', '')).not.toContain('enhance');
    });

    test('options are completed after a dash, and belong to their command', () => {
      expect(complete('enhance', '--js')).toEqual(['--json']);
      expect(complete('pick', '--')).toEqual(['--help', '--size']);
    });

    test('choices of options and arguments are completed', () => {
      expect(complete('pick', '--size', '')).toEqual(['large', 'small']);
      expect(complete('pick', '-s', 'l')).toEqual(['large']);
      expect(complete('pick', 'b')).toEqual(['blue']);
    });

    test('no word is offered in place of a file: after a command with files, and after an option with a value', () => {
      expect(complete('enhance', '')).toEqual([]);
      expect(complete('enhance', '--out', '')).toEqual([]);
    });

    test('a typed substitution is never run', () => {
      expect(complete('$(touch run)', 'en')).not.toContain('--help');
      expect(complete('$(touch run)')).toEqual([]);
      expect(existsSync(join(folder.path, 'run'))).toBe(false);
    });
  });

test.each(['bash', 'zsh', 'fish'] as const)(
  'the completion of %s has listen with its options and kinds of events',
  (shell) => {
    const listening = new Command('burnish');
    addListenCommand(listening, never);
    const script = writeCompletion(listening, shell);
    const flag = shell === 'fish' ? '-l forward-to' : '--forward-to';
    for (const word of ['listen', flag, ...EVENT_KINDS]) expect(script).toContain(word);
  },
);

test('bash completes files where no word is offered', () => {
  expect(writeCompletion(program, 'bash')).toContain('complete -o default -F _burnish burnish');
});

testUnless(lackOf('zsh'))('zsh completes a typed line', async () => {
  await writeFile(join(folder.path, 'completion'), writeCompletion(program, 'zsh'));
  // zsh completes lines in a terminal only. The session continues at each answer, without a fixed pause.
  const session = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -U compinit && compinit -u -D; source ./completion; echo SOU''RCED"
zpty -r shell line '*SOURCED*'
zpty -w -n shell $'burnish batch ap\\t'
zpty -r shell line '*approve*'
zpty -w -n shell $'--js\\t'
zpty -r shell line '*--json*' && print COMPLETED
zpty -d shell`;
  expect(answer('zsh', ['-f', '-c', session])).toContain('COMPLETED');
});
