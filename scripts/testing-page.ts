/* Writes docs/testing.md from the references in src/domain/testing: `npx tsx scripts/testing-page.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { EVENT_CAUSES, TEST_REFERENCES, type TestEffect } from '../src/domain/testing/test-references.ts';

const INTRODUCTION = `# Test your integration

A test key starts with \`bk_test_\`. Its work is free, and separate from the account's own: it has its own uploads, credits, webhook endpoints and limits. With it, a test meets each error code, each wait and each event.

\`\`\`sh
npx burnish keys create "CI" --test
\`\`\`

Or send \`POST /v1/api-keys\` with \`{ "name": "CI", "test": true }\`. Use the test key as any other key, with REST, GraphQL, the command line and the client.

- The lifecycle is the real one: the same states, records, credits and events. \`provider\` is \`TEST\`.
- Results are quick and the same each time. The result of an image is a WebP copy of at most 256 pixels. The result of a PDF has the bytes of the PDF.
- Files are inspected, and PDFs analyzed, as with any key. A file that is really damaged fails.
- No result is reused, and prices are those of real work. A test account gets 1,000,000 credits each month.
- A test key creates test keys only. The test account follows the plan, the suspension and the deletion of its account.

## References that cause an outcome

Give an upload or an enhancement one of these references. The reference of an upload also applies to its enhancements. Any other reference that starts with \`test:\` is refused.

\`\`\`sh
curl -H "x-api-key: $KEY" --data-binary @photo.jpg "$URL/v1/uploads?reference=test:CORRUPT_FILE"
\`\`\`

This page is generated from \`src/domain/testing\` by \`npx tsx scripts/testing-page.ts\`; a test compares the two.
`;

const DELIVERIES = `A receiver gets each attempt all the same. Only the counted outcome differs, so a receiver can test how it handles repetitions. The reference applies to the events about the record that has it.
`;

const CLOCK = `## The clock

\`POST /v1/test/clock\` with \`{ "seconds": 86400 }\` advances the clock of the test account by a day. Waits of the present uploads and deliveries end as if the time had passed:

- the next attempts of deliveries, ten within 24 hours;
- the wait for credits (checked every 900 seconds) and its end, 24 hours by default;
- the wait for an approval, 7 days;
- the wait for the file of a signed URL, an hour;
- the retention of an upload, 30 days by default.

Times in records and the monthly periods of credits stay real. Uploads and deliveries that begin later start with the real time. A gateway wakes at most 40 uploads or
deliveries a second. While one request of an account runs, others get \`RATE_LIMITED\`.

\`\`\`sh
curl -H "x-api-key: $KEY" -H 'Content-Type: application/json' -d '{"seconds":86400}' "$URL/v1/test/clock"
\`\`\`
`;

const code = (text: string): string => `\`${text}\``;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const references = (belongs: (effect: TestEffect) => boolean): string =>
  table(
    ['reference', 'outcome'],
    Object.entries(TEST_REFERENCES)
      .filter(([, effect]) => belongs(effect))
      .map(([reference, { words }]) => [code(reference), words]),
  );

/** @returns the page in the format of the repository */
export async function testingPage(): Promise<string> {
  const events = Object.entries(EVENT_CAUSES).map(([kind, cause]) => [code(kind), cause]);
  const sections = [
    INTRODUCTION,
    '## Error codes\n',
    references(({ fails }) => fails !== undefined),
    '\n## Waits and credits\n',
    references(({ waitsFor, lowersCredits }) => waitsFor !== undefined || lowersCredits === true),
    '\n## Deliveries of webhooks\n',
    DELIVERIES,
    references(({ delivery }) => delivery !== undefined),
    '\n## Events\n',
    table(['event', 'cause'], events),
    `\n${CLOCK}`,
  ];
  return format(sections.join('\n'), { parser: 'markdown', singleQuote: true, printWidth: 120 });
}

/** Path of the page. */
export const TESTING_PAGE = join(import.meta.dirname, '..', 'docs', 'testing.md');

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(TESTING_PAGE, await testingPage());
