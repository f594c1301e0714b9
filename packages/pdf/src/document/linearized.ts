import type { PdfDocument } from './pdf-document.ts';

/** The linearization parameters are the first object, within the first 1,024 bytes (ISO 32000-1 Annex F.3). */
const WITHIN = 1024;

/**
 * Returns whether a file is linearized for fast web view. A file with a later update is not: its parameters have
 * another length.
 */
export function isLinearized({ source }: PdfDocument): boolean {
  const head = source.read(0, WITHIN).toString('latin1');
  const parameters = /\bobj\s*<<([^>]*\/Linearized\b[^>]*)>>/.exec(head)?.[1];
  return Number(/\/L\s+(\d+)/.exec(parameters ?? '')?.[1]) === source.size;
}
