import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addBatchCommand } from '../../src/cli/batch/batch-command.ts';
import { bashCompletion } from '../../src/cli/completion.ts';
import { addEnhanceCommand } from '../../src/cli/enhance/enhance-command.ts';

const program = new Command('burnish');
const never = () => Promise.reject(new Error('No command runs here.'));
addBatchCommand(program, never);
addEnhanceCommand(program, never);
program.command('pick').option('-s, --size <size>').argument('<color>');
program.commands.at(-1)?.options[0]?.choices(['small', 'large']);
program.commands.at(-1)?.registeredArguments[0]?.choices(['red', 'blue']);

/** Answers of a real bash for typed words, the last of them unfinished. */
function complete(...words: string[]): string[] {
  const ask = `${bashCompletion(program)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _burnish; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const answer = execFileSync('bash', ['--norc', '-uc', ask, 'bash', 'burnish', ...words], { encoding: 'utf8' });
  return answer.split('\n').filter((word) => word !== '');
}

test('commands are completed by their beginning', () => {
  expect(complete('')).toEqual(['batch', 'enhance', 'pick', 'help']);
  expect(complete('en')).toEqual(['enhance']);
});

test('the commands of a command are completed after it', () => {
  expect(complete('batch', 'ap')).toEqual(['approve']);
  expect(complete('batch', '')).not.toContain('enhance');
});

test('options are completed after a dash, and belong to their command', () => {
  expect(complete('enhance', '--js')).toEqual(['--json']);
  expect(complete('pick', '--')).toEqual(['--size', '--help']);
});

test('choices of options and arguments are completed', () => {
  expect(complete('pick', '--size', '')).toEqual(['small', 'large']);
  expect(complete('pick', '-s', 'l')).toEqual(['large']);
  expect(complete('pick', 'b')).toEqual(['blue']);
});

test('files are left to bash: after a command with files, and after an option with a value', () => {
  expect(complete('enhance', '')).toEqual([]);
  expect(complete('enhance', '--out', '')).toEqual([]);
  expect(bashCompletion(program)).toContain('complete -o default -F _burnish burnish');
});

test('a typed substitution is never run', () => {
  expect(complete('$(echo enhance)', '--fi')).toEqual([]);
  expect(complete('$(echo en)')).toEqual([]);
});
