/* Writes the documents of the API and the types of its answers from src/api: `npx tsx scripts/api-documents.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GraphQLSchema, printSchema } from 'graphql';
import { format } from 'prettier';
import { schema } from '../src/api/graphql-schema.ts';
import { openApiDocument } from '../src/api/openapi/document.ts';
import { VERSION } from '../src/runtime/version.ts';
import { answerTypes } from './answer-types.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Generates the text of each file, by its path in the repository. */
export async function apiDocuments(): Promise<Record<string, string>> {
  const document = openApiDocument({ publicUrl: 'http://127.0.0.1:3000', version: VERSION });
  const style = { printWidth: 120 };
  return {
    'docs/api/openapi.json': await format(JSON.stringify(document), { ...style, parser: 'json' }),
    'docs/api/schema.graphql': await format(printSchema(inOrder(schema)), { ...style, parser: 'graphql' }),
    'packages/contract/src/representations/answers.ts': await format(await answerTypes(document), {
      ...style,
      singleQuote: true,
      parser: 'typescript',
    }),
  };
}

/** Sorts the types by name, since they stand in the order in which modules were loaded. Fields keep the order of their declaration. */
function inOrder(unordered: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = unordered.toConfig();
  return new GraphQLSchema({ ...config, types: types.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(await apiDocuments())) await writeFile(join(ROOT, name), text);
}
