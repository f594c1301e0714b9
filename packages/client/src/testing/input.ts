import { z } from 'zod';
import {
  assertImageOrderAgrees,
  assertOrderFits,
  BUCKET_NAME,
  BUCKET_KEY_FAULT,
  isBucketKey,
  type DestinationOrder,
  faultInTemplate,
  PDF_PARAMETERS,
  type EnhancementParameters,
  type MediaKind,
  nameField,
} from '@burnish/contract';
import { checked, enhancementList, flattened, parametersSchema } from '@burnish/contract/schemas';
import type { EnhanceInput } from '../temporal/workflow.ts';

/** An accepted input. */
export interface Order {
  kind: MediaKind;
  filename: string;
  parameters: EnhancementParameters;
  preset: string | null;
  maxCredits: number | null;
  creditWait: number;
  destination: DestinationOrder | null;
  reference: string | null;
  customMetadata: Record<string, unknown> | null;
}

const text = z.string().min(1).max(2_048);
const url = text.refine((each) => /^https?:/i.test(each) && URL.canParse(each), 'expected an http or https URL');
const bucket = z.string().regex(BUCKET_NAME, 'expected the name of a registered bucket');
const keyTemplate = text.superRefine((template, context) => {
  const message = faultInTemplate(template);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const order = flattened(
  parametersSchema.extend({
    maxCredits: z.int().min(0).optional(),
    creditWait: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .optional(),
    preset: text.optional(),
    destination: z.union([z.strictObject({ url }), z.strictObject({ bucket, key: keyTemplate })]).optional(),
    reference: text.optional(),
    customMetadata: z.record(z.string(), z.unknown()).optional(),
    priority: z.enum(['STANDARD', 'BATCH']).optional(),
  }),
);

const enhanceInput = z.strictObject({
  source: z.union([
    z.strictObject({ url }),
    z.strictObject({ bucket, key: text.refine(isBucketKey, BUCKET_KEY_FAULT) }),
    z.strictObject({ data: z.base64() }),
    z.strictObject({ uploadId: text }),
  ]),
  enhancements: enhancementList(order, { max: 1 }),
  filename: text.optional(),
  password: text.optional(),
  webhookUrl: url.optional(),
  provider: z.enum(['LOCAL', 'HOSTED', 'TEST']).optional(),
  fallback: z.enum(['NONE', 'LOCAL']).optional(),
});
const estimateInput = z.strictObject({ uploadId: text, enhancements: enhancementList(order) });
const readInput = z.strictObject({ enhancementId: text });

/** Checks an input as the service does: no unknown field, and parameters that fit the file. @throws Failure BAD_USER_INPUT */
export function toOrder(input: unknown): Order {
  const { source, enhancements, filename, provider } = checked(enhanceInput, input, 'The input');
  const name = filename ?? nameOf(source);
  return accept(enhancements, name, provider === 'HOSTED' ? 'hosted' : 'local')[0]!;
}

/** @throws Failure BAD_USER_INPUT */
export const toEstimatedOrders = (input: unknown): Order[] =>
  accept(checked(estimateInput, input, 'The input').enhancements, 'upload', 'local');

/** @throws Failure BAD_USER_INPUT */
export const toReadId = (input: unknown): string => checked(readInput, input, 'The input').enhancementId;

const accept = (given: z.output<typeof order>[], filename: string, provider: 'hosted' | 'local'): Order[] =>
  given.map((each, index) => nameField(`enhancements[${index}].`, () => acceptOne(each, filename, provider)));

function acceptOne(given: z.output<typeof order>, filename: string, provider: 'hosted' | 'local'): Order {
  const { maxCredits, creditWait, preset, destination, reference, customMetadata, priority: _, ...parameters } = given;
  const kind = isPdf(filename, parameters) ? 'pdf' : 'image';
  assertOrderFits(kind, parameters);
  if (kind === 'image') assertImageOrderAgrees(parameters, provider);
  return {
    kind,
    filename,
    parameters,
    preset: preset ?? null,
    maxCredits: maxCredits ?? null,
    creditWait: creditWait ?? 86_400,
    destination: destination ?? null,
    reference: reference ?? null,
    customMetadata: customMetadata ?? null,
  };
}

/** The fake reads no file, so names and parameters tell its kind. */
function isPdf(filename: string, parameters: EnhancementParameters): boolean {
  return /\.pdf$/i.test(filename) || Object.keys(parameters).some((name) => Object.hasOwn(PDF_PARAMETERS, name));
}

function nameOf(source: EnhanceInput['source']): string {
  const path = 'url' in source ? new URL(source.url).pathname : 'key' in source ? source.key : '';
  return path.split('/').at(-1) || 'upload';
}
