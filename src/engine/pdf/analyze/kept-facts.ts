import { readFile, writeFile } from 'node:fs/promises';
import type { PdfFacts } from './facts.ts';

/** Keeps the facts of a PDF in a file, so that the engine decides once which images are eligible. */
export async function writeFacts(path: string, facts: PdfFacts): Promise<void> {
  await writeFile(path, JSON.stringify(facts));
}

/** Reads what `writeFacts` wrote. */
export async function readFacts(path: string): Promise<PdfFacts> {
  return JSON.parse(await readFile(path, 'utf8')) as PdfFacts;
}
