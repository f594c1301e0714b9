import { spawnSync } from 'node:child_process';

/** Independent judges: they speak where they are installed; what must hold everywhere is asserted beside them. */
const has = (command: string, flag: string): boolean => spawnSync(command, [flag]).error === undefined;
const hasQpdf = has('qpdf', '--version');
const hasPoppler = has('pdftoppm', '-v');

/** What qpdf has against a file; nothing where it is not installed. */
export function qpdfComplaint(path: string): string {
  if (!hasQpdf) return '';
  const { status, stdout, stderr } = spawnSync('qpdf', ['--check', path], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

/** How alike poppler draws the first page of two files at 72 pixels an inch, dB; undefined where it is not installed. */
export function renderedAlike(one: string, other: string): number | undefined {
  if (!hasPoppler) return undefined;
  const [a, b] = [one, other].map(
    (path) => spawnSync('pdftoppm', ['-r', '72', '-singlefile', path], { maxBuffer: 100_000_000 }).stdout,
  );
  if (a!.length !== b!.length || a!.length === 0) return 0;
  let sum = 0;
  for (let i = 0; i < a!.length; i += 1) sum += (a![i]! - b![i]!) ** 2;
  return 10 * Math.log10(255 ** 2 / Math.max(sum / a!.length, 1e-9));
}
