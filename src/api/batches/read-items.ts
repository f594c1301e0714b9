import type { Request } from 'express';
import { BATCH_LIMITS, counted, Failure, type FailureCode } from '@burnish/contract';
import { describeInvalid, readJsonText } from '@burnish/contract/schemas';
import type { AddedItems } from '../../database/batches/batches.ts';
import type { NewBatchItem } from '../../domain/batch/batch-rules.ts';
import { readHeader } from '../http/request-context.ts';
import { newBatchItemSchema } from './batch-schemas.ts';

export const NDJSON = 'application/x-ndjson';
/** A URL has at most 2,048 characters, and its key and reference 200 each, of up to four bytes. */
const MAX_LINE_BYTES = 16_000;
const ITEMS_AT_ONCE = 500;

/**
 * Reads items from a body of NDJSON, one JSON object a line, and adds them in groups while it arrives.
 * @throws Failure that names the line, from 1. Groups before it stay added; the same body may be sent again.
 */
export async function readItems(
  req: Request<object>,
  add: (items: NewBatchItem[]) => Promise<AddedItems>,
): Promise<AddedItems> {
  const type = (readHeader(req, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== NDJSON) {
    const detail = `The Content-Type is not supported. Send ${NDJSON}, with one JSON object a line.`;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { detail });
  }
  const total = { added: 0, repeated: 0 };
  let group: { line: number; item: NewBatchItem }[] = [];

  async function addGroup(): Promise<void> {
    const lines = group.map(({ line }) => line);
    const items = group.map(({ item }) => item);
    group = [];
    if (items.length === 0) return;
    const { added, repeated } = await add(items).catch((error: unknown) => {
      throw withLine(error, lines);
    });
    total.added += added;
    total.repeated += repeated;
  }

  let number = 0;
  // A destroyed request would lose the response: the client still sends the rest of its body.
  for await (const text of readLines(req.iterator({ destroyOnReturn: false }))) {
    number += 1;
    if (number > BATCH_LIMITS.items) {
      throw refusal(
        number,
        `A body has at most ${counted(BATCH_LIMITS.items, 'line')}. Send the rest to another batch.`,
      );
    }
    if (text.trim() === '') continue;
    group.push({ line: number, item: parseItem(text, number) });
    if (group.length === ITEMS_AT_ONCE) await addGroup();
  }
  await addGroup();
  return total;
}

async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let number = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    let from = 0;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      yield bytes.toString('utf8', from, at);
      from = at + 1;
      number += 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > MAX_LINE_BYTES) {
      throw refusal(number, `A line has at most ${counted(MAX_LINE_BYTES, 'byte')}. Send one item a line.`);
    }
  }
  yield rest.toString('utf8');
}

const EXAMPLE = '{"url":"https://example.com/photo.jpg"}';

function parseItem(text: string, line: number): NewBatchItem {
  const read = readJsonText(text);
  if ('remedy' in read) {
    const remedy = text.trimStart().startsWith('{') ? read.remedy : `Send one JSON object a line, such as ${EXAMPLE}.`;
    throw refusal(line, `The line is not valid JSON at column ${read.column}. ${remedy}`);
  }
  const { data, error } = newBatchItemSchema.safeParse(read.value);
  if (error === undefined) return data;
  throw refusal(line, describeInvalid(error, 'The line', { schema: newBatchItemSchema, given: read.value }).detail);
}

const refusal = (line: number, detail: string, code: FailureCode = 'BAD_USER_INPUT'): Failure =>
  new Failure(code, { field: `line ${line}`, detail: `Line ${line}: ${detail}` });

/** Replaces the index of an item in its group by the number of its line. */
function withLine(error: unknown, lines: readonly number[]): unknown {
  if (!(error instanceof Failure)) return error;
  const [, index] = /^\[(\d+)\]/.exec(error.field ?? '') ?? [];
  return index === undefined ? error : refusal(lines[Number(index)] ?? 0, error.message, error.code);
}
