/* Writes docs/testing.md from the references in packages/contract/src/testing: `npx tsx scripts/testing-page.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { type SentEventKind, TEST_REFERENCES, type TestEffect } from '@burnish/contract';

const INTRODUCTION = `# Test your integration

A test key starts with \`bk_test_\`. Its work is free, with uploads, credits, webhook endpoints and limits of its own.

\`\`\`sh
npx burnish keys create "CI" --test
\`\`\`

Or send \`POST /v1/api-keys\` with \`{ "name": "CI", "test": true }\`. Use it as any other key.

- States, records, credits and events are those of real work. \`provider\` is \`TEST\`.
- Results are the same each time: of an image a WebP of at most 256 pixels, of a PDF its own bytes.
- Files are inspected as with any key, so a damaged one fails.
- No result is reused. Prices are real, of 1,000,000 credits each month.
- A test key creates test keys only. The test account follows the plan, suspension and deletion of its account.

## References that cause an outcome

Give an upload or an enhancement one of these references. That of an upload also applies to its enhancements. Any other one that starts with \`test:\` is refused.

\`\`\`sh
curl -H "x-api-key: $KEY" --data-binary @photo.jpg "$URL/v1/uploads?reference=test:CORRUPT_FILE"
\`\`\`

\`npx tsx scripts/testing-page.ts\` makes this page from \`packages/contract/src/testing\`.
`;

const DELIVERIES = `A receiver gets each attempt all the same: only the counted outcome differs. The reference applies to the events of its record.
`;

const CLOCK = `## The clock

\`POST /v1/test/clock\` with \`{ "seconds": 86400 }\` advances the clock of the test account by a day. Present uploads and deliveries then end these waits:

- the next attempts of deliveries, ten within 24 hours;
- the wait for credits (checked every 900 seconds) and its end, 24 hours by default;
- the wait for an approval, 7 days;
- the wait for the file of a signed URL, an hour;
- the retention of an upload, 30 days by default.

Times in records, periods of credits and later uploads stay real. One advance reaches at most 500 uploads and as many deliveries. An account wakes 100 of them at once, and then 5 a second. While one request of an account runs, others get \`RATE_LIMITED\`.

\`\`\`sh
curl -H "x-api-key: $KEY" -H 'Content-Type: application/json' -d '{"seconds":86400}' "$URL/v1/test/clock"
\`\`\`
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

const WORKFLOWS = `## Workflows of your own

A workflow that calls Burnish over [Nexus](nexus.md), or in an activity, needs no instance in its tests. \`@burnish/client/testing\` is a fake service for \`@temporalio/testing\`, with the references of this page. The client's README has [an example](../packages/client/README.md#in-a-temporal-workflow).
`;

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
export async function testingPage(): Promise<string> {
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
    `\n${CLOCK}`,
    WORKFLOWS,
  ];
  return format(sections.join('\n'), { parser: 'markdown', singleQuote: true, printWidth: 120 });
}

/** Path of the page. */
export const TESTING_PAGE = join(import.meta.dirname, '..', 'docs', 'testing.md');

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(TESTING_PAGE, await testingPage());
