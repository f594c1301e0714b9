/* Writes docs/test-references.md from the references in packages/contract/src/testing: `npx tsx scripts/test-references-page.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { type SentEventKind, TEST_REFERENCES, type TestEffect } from '@burnish/contract';

const INTRODUCTION = `# References for tests

Give an upload or an enhancement of a [test key](testing.md) one of these references. That of an upload also applies to its enhancements. Any other one that starts with \`test:\` is refused.

<!-- npx tsx scripts/test-references-page.ts makes this page from packages/contract/src/testing -->
`;

const DELIVERIES = `A receiver gets each attempt all the same: only the counted outcome differs. The reference applies to the events of its record.
`;

const code = (text: string): string => `\`${text}\``;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const entriesWhere = (belongs: (effect: TestEffect) => boolean): [string, TestEffect][] =>
  Object.entries(TEST_REFERENCES).filter(([, effect]) => belongs(effect));

const references = (belongs: (effect: TestEffect) => boolean): string =>
  table(
    ['reference', 'outcome'],
    entriesWhere(belongs).map(([reference, { words }]) => [code(reference), words]),
  );

/** A row for each outcome, since most codes share one. */
function outcomes(belongs: (effect: TestEffect) => boolean): string {
  const byWords = new Map<string, string[]>();
  for (const [reference, { words }] of entriesWhere(belongs))
    byWords.set(words, [...(byWords.get(words) ?? []), code(reference)]);
  const rows = [...byWords].map(([words, named]) => [words, named.join(', ')]);
  return table(['outcome', 'references'], rows);
}

/** How a test causes each event. An event without an entry does not compile. */
const EVENT_CAUSES: Record<SentEventKind, string> = {
  'upload.status_update': 'Send a file. `test:CORRUPT_FILE` causes the event of a failure.',
  'upload.sub_status_update': 'Send a PDF. `test:ENCRYPTED_PDF` causes the event of a failure.',
  'enhanced_image.status_update': 'Order an enhancement. The references above cause each of its ends.',
  'credits.low': 'Order an enhancement with the reference `test:credits-low`, once in a month.',
  'webhook.disabled':
    'Send a file with the reference `test:delivery-410`. Another endpoint, which gets this event alone, is told after an advance of the clock, or within a minute.',
  'upload.deleted': 'Delete an upload, or advance the clock by its retention.',
  'batch.approval_needed': 'Create a batch with more items than samples, and close it.',
  'batch.half_done': 'Approve such a batch.',
  'batch.trouble': 'Give ten items of a batch of eleven the reference `test:PROCESSING_LIMIT`.',
  'batch.ended': 'Approve a batch, or cancel it.',
  'webhook.test': 'Send `POST /v1/webhooks/{id}/test`.',
};

/** @returns the page in the format of the repository */
export async function testReferencesPage(): Promise<string> {
  const events = Object.entries(EVENT_CAUSES).map(([kind, cause]) => [code(kind), cause]);
  const sections = [
    INTRODUCTION,
    '## Error codes\n',
    outcomes(({ fails }) => fails !== undefined),
    '\n## Waits and credits\n',
    references(({ waitsFor, lowersCredits }) => waitsFor !== undefined || lowersCredits === true),
    '\n## Deliveries of webhooks\n',
    DELIVERIES,
    references(({ delivery }) => delivery !== undefined),
    '\n## Events\n',
    table(['event', 'cause'], events),
  ];
  return format(sections.join('\n'), { parser: 'markdown', singleQuote: true, printWidth: 120 });
}

/** Path of the page. */
export const TEST_REFERENCES_PAGE = join(import.meta.dirname, '..', 'docs', 'test-references.md');

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeFile(TEST_REFERENCES_PAGE, await testReferencesPage());
