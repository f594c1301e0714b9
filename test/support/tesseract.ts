import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

const isThere = spawnSync('tesseract', ['--version']).error === undefined;

/** Tests that need Tesseract. Where `CI` is set they run, and fail without it. */
export function describeWithTesseract(name: string, tests: () => void): void {
  if (isThere || process.env['CI'] !== undefined) describe(name, tests);
  else describe.skip(`${name} (Tesseract is not installed)`, tests);
}
