#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `node generate-syscalls.mjs <asm/unistd_64.h> <asm-generic/unistd.h>`: writes the numbers of the system calls that the filter
 * names, from the headers of Linux 6.8 or later. arm64 has the generic numbers.
 */
const [, , x64Path = '', arm64Path = ''] = process.argv;
const folder = join(import.meta.dirname, 'src', 'isolation');
const filter = readFileSync(join(folder, 'seccomp.ts'), 'utf8');

/** @param {string} path */
function numbersIn(path) {
  const defined = readFileSync(path, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)\s*$/gm);
  return new Map([...defined].map(([, name, number]) => [name, Number(number)]));
}

const [x64, arm64] = [numbersIn(x64Path), numbersIn(arm64Path)];
const names = [...filter.matchAll(/^ {2}\/\/.*\n((?: {2}'[a-z0-9_ ]+',\n)+)/gm)].flatMap(([, texts]) =>
  (texts ?? '').split(/[^a-z0-9_]+/).filter(Boolean),
);
const lines = [...new Set([...names, 'clone', 'clone3', 'fcntl', 'ioctl', 'mmap'])].sort().map((name) => {
  const numbers = [x64.get(name), arm64.get(name)];
  if (numbers[0] === undefined) throw new Error(`The headers have no system call ${name}.`);
  return `  ${name}: [${numbers.map((number) => String(number ?? null)).join(', ')}],\n`;
});
writeFileSync(
  join(folder, 'syscall-numbers.ts'),
  `/** The numbers of system calls on x86-64 and on arm64; null where there is none. Made by generate-syscalls.mjs. */
export const SYSCALL_NUMBERS = {
${lines.join('')}} as const satisfies Record<string, readonly [x64: number, arm64: number | null]>;
`,
);
