import { afterEach, describe, expect, test } from '@jest/globals';
import { seccompProgram } from '../src/isolation/seccomp.ts';

const { arch } = process;
function pretend(value: string): void {
  Object.defineProperty(process, 'arch', { value });
}
afterEach(() => pretend(arch));

const [LOAD, EQUAL, NOT_LESS, ANY_BIT] = [0x20, 0x15, 0x35, 0x45];
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const OUTCOMES = new Map([
  [0x7fff0000, 'allow'],
  [0x80000000, 'kill'],
  [0x00050001, 'EPERM'],
  [0x00050026, 'ENOSYS'],
]);

/** Runs the filter as the kernel does (seccomp(2)), on a call with its number and its arguments. */
function outcome(program: Buffer, audit: number, number: number, args: readonly number[]): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; ; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    const jump = (condition: boolean): unknown => (at += 8 * program.readUInt8(at + (condition ? 2 : 3)));
    if (code === LOAD) accumulator = data.readUInt32LE(value);
    else if (code === EQUAL) jump(accumulator === value);
    else if (code === NOT_LESS) jump(accumulator >= value);
    else if (code === ANY_BIT) jump((accumulator & value) !== 0);
    else return OUTCOMES.get(value) ?? String(value);
  }
}

type Case = [call: string, expected: string, x64: number, arm64: number | null, args?: number[]];
const CASES: Case[] = [
  ['read', 'allow', 0, 63],
  ['openat', 'allow', 257, 56],
  ['execve', 'allow', 59, 221],
  ['socket', 'EPERM', 41, 198],
  ['connect', 'EPERM', 42, 203],
  ['sendmsg', 'EPERM', 46, 211],
  ['ptrace', 'EPERM', 101, 117],
  ['fork', 'EPERM', 57, null],
  ['mount', 'EPERM', 165, 40],
  ['unshare', 'EPERM', 272, 97],
  ['memfd_create', 'EPERM', 319, 279],
  ['bpf', 'EPERM', 321, 280],
  ['io_uring_setup', 'EPERM', 425, 425],
  ['statmount', 'EPERM', 457, 457],
  ['clone3', 'ENOSYS', 435, 435],
  ['a call newer than the table', 'ENOSYS', 463, 463],
  ['clone of a thread', 'allow', 56, 220, [0x10000]],
  ['clone of a process', 'EPERM', 56, 220, [0]],
  ['clone of a thread in a new namespace', 'EPERM', 56, 220, [0x10010000 | 0x20000]],
  ['mmap of private memory', 'allow', 9, 222, [0, 0, 0, 0x22]],
  ['mmap of shared memory without a file', 'EPERM', 9, 222, [0, 0, 0, 0x21]],
  ['fcntl of a flag', 'allow', 72, 25, [3, 4]],
  ['fcntl of a lease', 'EPERM', 72, 25, [3, 1024]],
  ['ioctl of bytes that wait', 'allow', 16, 29, [3, 0x541b]],
  ['ioctl of a terminal', 'EPERM', 16, 29, [3, 0x5412]],
];

describe.each(['x64', 'arm64'] as const)('the filter of system calls on %s', (name) => {
  const numbered = CASES.map(([call, expected, x64, arm64, args = []]) => {
    return { call, expected, number: name === 'x64' ? x64 : arm64, args };
  });

  test.each(numbered.filter(({ number }) => number !== null))('answers $call with $expected', (each) => {
    pretend(name);
    expect(outcome(seccompProgram()!, AUDIT[name], each.number!, each.args)).toBe(each.expected);
  });

  test('kills a caller of the table of another architecture', () => {
    pretend(name);
    expect(outcome(seccompProgram()!, 0x40000003, 0, [])).toBe('kill');
    expect(outcome(seccompProgram()!, AUDIT[name], 0xffffffff, [])).toBe('kill');
  });
});

test('there is no filter for an architecture without a table', () => {
  pretend('ppc64');
  expect(seccompProgram()).toBeUndefined();
});
