import type { Response } from 'express';
import type { BatchItems } from '../../database/batches/batch-items.ts';
import type { FileUrls } from '../files/file-urls.ts';
import { sendBody } from '../http/send-body.ts';
import { type BatchItemRepresentation, representBatchItem } from './batch-schemas.ts';

const ITEMS_AT_ONCE = 500;

export const MANIFEST_FORMATS = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;
export type ManifestFormat = keyof typeof MANIFEST_FORMATS;

const COLUMNS = [
  ...(['key', 'url', 'reference', 'state', 'sample', 'uploadId', 'enhancementId', 'credits'] as const),
  ...(['errorCode', 'resultUrl', 'bucket'] as const),
] as const satisfies readonly (keyof BatchItemRepresentation)[];

/** First characters that make a cell a formula in a spreadsheet, and the apostrophe that marks one as text. */
const FORMULA = /^[=+\-@\t\r']/;

/** A field of CSV (RFC 4180); null is empty. An apostrophe precedes a text that a spreadsheet takes for a formula. */
function csvField(value: string | number | boolean | null): string {
  const given = String(value ?? '');
  const text = typeof value === 'string' && FORMULA.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const WRITERS: Record<ManifestFormat, { head: string; line: (item: BatchItemRepresentation) => string }> = {
  ndjson: { head: '', line: (item) => `${JSON.stringify(item)}\n` },
  csv: {
    head: `${COLUMNS.join(',')}\r\n`,
    line: (item) => `${COLUMNS.map((name) => csvField(item[name])).join(',')}\r\n`,
  },
};

export interface ManifestOptions {
  format: ManifestFormat;
  onlySamples: boolean;
}

interface ManifestSource {
  batchItems: Pick<BatchItems, 'list'>;
  urls: FileUrls;
}

/** Streams the items of a batch in their order, each exactly once. */
export async function sendManifest(
  res: Response,
  source: ManifestSource,
  batchId: string,
  options: ManifestOptions,
): Promise<void> {
  res.status(200).set({ 'Content-Type': MANIFEST_FORMATS[options.format], 'Cache-Control': 'no-store' });
  await sendBody(res, writeManifest(source, batchId, options), 'manifest');
}

async function* writeManifest(
  { batchItems, urls }: ManifestSource,
  batchId: string,
  { format, onlySamples }: ManifestOptions,
): AsyncGenerator<string> {
  const { head, line } = WRITERS[format];
  if (head !== '') yield head;
  for (let after = -1; ;) {
    const rows = await batchItems.list(batchId, { after, limit: ITEMS_AT_ONCE, samples: onlySamples });
    if (rows.length > 0) yield rows.map((row) => line(representBatchItem(row, urls))).join('');
    if (rows.length < ITEMS_AT_ONCE) return;
    after = rows.at(-1)!.item.position;
  }
}
