/* eslint-disable no-restricted-syntax -- The one place that skips. */
import { spawnSync } from 'node:child_process';
import { describe, test } from '@jest/globals';

/** Programs that some tests need beside Node.js, npm, Git, Python and Java: an argument that starts each, and its package if Debian has one. */
const PROGRAMS = {
  bwrap: ['--version', 'bubblewrap'],
  dotnet: ['--version', undefined],
  fish: ['--version', 'fish'],
  go: ['version', 'golang'],
  mvn: ['--version', 'maven'],
  pdftoppm: ['-v', 'poppler-utils'],
  php: ['--version', 'php-cli'],
  qpdf: ['--version', 'qpdf'],
  script: ['--version', 'bsdutils'],
  tesseract: ['--version', 'tesseract-ocr'],
  zsh: ['--version', 'zsh'],
} as const;

/** Set where every program of Debian is installed, as in `.ci/run`. A missing one then fails. */
export const HAS_ALL = process.env['TEST_ALL_PROGRAMS'] !== undefined;

/**
 * Says what this machine lacks for a test.
 * @returns the need with its remedy; undefined where the program is there
 * @throws Error for a missing program of Debian where TEST_ALL_PROGRAMS is set
 */
export function lackOf(program: keyof typeof PROGRAMS): string | undefined {
  const [argument, debian] = PROGRAMS[program];
  if (spawnSync(program, [argument], { stdio: 'ignore' }).error === undefined) return undefined;
  if (debian === undefined) return program;
  if (HAS_ALL) throw new Error(`TEST_ALL_PROGRAMS is set, and ${program} is not there: apt-get install ${debian}.`);
  return `${program} of the package ${debian}`;
}

type Define = (title: string, body: () => void | Promise<void>, timeoutMs?: number) => void;

/**
 * Defines a test: `testUnless(lackOf('zsh'))('zsh completes a typed line', …)`. This is the only way to skip one.
 * @param lack what this machine lacks; the end of the output has it beside the title
 */
export const testUnless = (lack: string | undefined): Define =>
  lack === undefined ? test : (title, body) => test.skip(skippedTitle(title, lack), body);

/** The same for a group, whose tests are skipped each. */
export const describeUnless = (lack: string | undefined): Define =>
  lack === undefined
    ? (title, body) => describe(title, () => void body())
    : (title, body) => describe.skip(skippedTitle(title, lack), () => void body());

/** For tests of what one system has. */
export const LACKS_LINUX = process.platform === 'linux' ? undefined : 'Linux';

/** scripts/test-count.mjs reads the need from the title. */
const skippedTitle = (title: string, lack: string): string => `${title} [needs ${lack}]`;
