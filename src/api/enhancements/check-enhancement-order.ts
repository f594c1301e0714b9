import {
  newDestination,
  type DestinationOrder,
  Failure,
  nameField,
  orderName,
  PDF_OPTIONS,
  type EnhancementParameters,
} from '@burnish/contract';
import { assertScope } from '../commands/checks.ts';
import type { Caller } from '../commands/command-types.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { Buckets } from '../../database/accounts/buckets.ts';

/** Looks for the languages of the program that reads text; or says why this machine has none, for the operator. */
export type FindTextProgram = () => Promise<{ languages: readonly string[] } | { missing: string }>;

/**
 * Refuses a destination before any write.
 * @param reference of the enhancement, or else of its upload
 * @throws Failure with field `destination`; FORBIDDEN without the scope `destinations`
 */
export async function assertDestinationAllowed(
  deps: { assertAllowedUrl: SafeFetch['assertAllowedUrl']; buckets: Buckets },
  { account, scopes }: Pick<Caller, 'account' | 'scopes'>,
  order: DestinationOrder | undefined,
  reference: string | null,
): Promise<void> {
  if (order === undefined) return;
  assertScope({ scopes }, 'destinations', 'destination');
  if ('url' in order) nameField('destination.url', () => deps.assertAllowedUrl(order.url));
  else {
    await assertBucketKnown(deps, account.id, order.bucket, 'destination.bucket');
    newDestination(order, { uploadId: 'upload', enhancementId: 'enhancement', reference });
  }
}

/** @throws Failure BAD_USER_INPUT for a name that the operator has not registered for the account */
export async function assertBucketKnown(
  { buckets }: { buckets: Buckets },
  accountId: string,
  name: string,
  field: string,
): Promise<void> {
  if (await buckets.has(accountId, name)) return;
  const detail = `The account has no bucket ${name}. Ask the operator to register it, or use another name.`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
}

/** Languages that a refusal names. */
const MOST_NAMED = 20;

/**
 * Refuses an order of text that this instance cannot read.
 * @throws Failure BAD_USER_INPUT with the field
 */
export async function assertTextReadable(
  { textProgram }: { textProgram: FindTextProgram },
  { text, textLanguages = PDF_OPTIONS.textLanguages.default }: EnhancementParameters,
): Promise<void> {
  if (text !== true) return;
  const program = await textProgram();
  if ('missing' in program) {
    const detail =
      'This instance cannot read text, since Tesseract is not installed. Remove pdf.text, or ask the operator to install tesseract-ocr.';
    throw new Failure('BAD_USER_INPUT', { field: orderName('text'), detail });
  }
  const { languages } = program;
  const absent = textLanguages.split('+').find((language) => !languages.includes(language));
  if (absent === undefined) return;
  const named = `${languages.slice(0, MOST_NAMED).join(', ')}${languages.length > MOST_NAMED ? ' and others' : ''}`;
  const detail = `Tesseract on this instance has no language ${absent}. Choose from ${named}, or ask the operator to install it.`;
  throw new Failure('BAD_USER_INPUT', { field: orderName('textLanguages'), detail });
}
