import openapiTS, { astToString, type OpenAPI3, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';

/** Schemas of answers that programs know by name. */
const ANSWERS = `
  AddedBatchItems ApiKey ApiKeyWithSecret AuditEntry Batch BatchItem Bucket Credits Enhancement Estimate LedgerLine Look LookTrial
  OperatorAccount OrderEstimate Preset Settings SignedUpload TimelineEntry Trial Upload UploadWithEnhancements UsageDay Webhook WebhookDelivery
  WebhookDeliveryWithBody WebhookWithSecret`
  .trim()
  .split(/\s+/);

/** Schemas that have their types by hand, for orders and answers alike, since the table of parameters has its own. */
const WRITTEN: Readonly<Record<string, string>> = {
  EnhancementParameters: 'ParametersRepresentation',
  BatchEnhancement: 'BatchEnhancementRepresentation',
};

const HEADER = `/* Generated from the schemas of answers by \`npx tsx scripts/api-documents.ts\`. */
import type { BatchEnhancementRepresentation, ParametersRepresentation } from './parameters.ts';
`;

/**
 * Declares the types of answers: `UploadRepresentation` for the schema `Upload`, and so on.
 * @param document the OpenAPI document of the service
 * @returns the text of a module
 */
export async function answerTypes(document: object): Promise<string> {
  const { openapi, info, components } = document as OpenAPI3;
  const all: Record<string, SchemaObject> = components?.schemas ?? {};
  const parts = [...withParts(ANSWERS, all)].toSorted();
  const schemas: typeof all = Object.fromEntries(
    parts.map((name) => [name, name in WRITTEN ? { type: 'object' } : all[name]!]),
  );
  const declarations = await openapiTS(
    { openapi, info, paths: {}, components: { schemas: withoutExamples(schemas) } },
    {
      transform(_schema, { path = '' }) {
        const written = WRITTEN[path.slice(path.lastIndexOf('/') + 1)];
        return written === undefined ? undefined : ts.factory.createTypeReferenceNode(written);
      },
    },
  );
  // The document that is left has no paths, so what the library declares for them is empty.
  const declared = declarations
    .map((one) => astToString(ts.transform(one, [optional]).transformed))
    .filter((text) => text.startsWith('export interface components'));
  const names = ANSWERS.map((name) => `export type ${name}Representation = components['schemas']['${name}'];`);
  return [HEADER, ...declared.map(readable), ...names].join('\n');
}

/** Adds the schemas that these schemas refer to. */
function withParts(
  names: readonly string[],
  schemas: Record<string, SchemaObject>,
  found = new Set<string>(),
): Set<string> {
  for (const name of names.filter((each) => !found.has(each))) {
    found.add(name);
    if (name in WRITTEN) continue;
    const references = JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g);
    withParts(
      Array.from(references, ([, part]) => part!),
      schemas,
      found,
    );
  }
  return found;
}

/** Leaves what types and sentences come from. Examples and formats are in the document. */
const withoutExamples = (schemas: Record<string, SchemaObject>): typeof schemas =>
  JSON.parse(
    JSON.stringify(schemas, (key, value: unknown) =>
      key === 'example' || (key === 'format' && typeof value === 'string') ? undefined : value,
    ),
  ) as typeof schemas;

/** Lets an optional property be undefined too, as the service builds it. */
const optional: ts.TransformerFactory<ts.Node> = (context) => (root) => {
  const { factory } = context;
  const visit = (node: ts.Node): ts.Node => {
    const seen = ts.visitEachChild(node, visit, context);
    if (!ts.isPropertySignature(seen) || seen.questionToken === undefined || seen.type === undefined) return seen;
    const type = factory.createUnionTypeNode([
      seen.type,
      factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword),
    ]);
    return factory.updatePropertySignature(seen, seen.modifiers, seen.name, seen.questionToken, type);
  };
  return visit(root);
};

/** Leaves the sentences of comments. */
const readable = (text: string): string =>
  text
    .replaceAll(/@(enum \{string\}|constant)/g, '')
    .replaceAll('@description ', '')
    .replaceAll(/^ *\* *\n(?= *\*\/)/gm, '')
    .replaceAll(/^ *\/\*\*\s*\*\/\n/gm, '')
    .replaceAll(/\/\*\*\s+\* (.*)\n\s*\*\//g, '/** $1 */');
