import {
  type Account,
  Failure,
  FAILURES,
  findTestEffect,
  type ProviderName,
  TEST_PREFIX,
  unknownTestReference,
} from '@burnish/contract';

/** What gateways do otherwise for a test account. Without one, each function does nothing. */
type Owner = Pick<Account, 'testOf'>;

/** Seconds until a retry, for refusals that a test asks for. */
const RETRY_SECONDS = 1;

/**
 * Refuses a request of a test account whose reference asks for it.
 * @param ofUpload reference of the upload, which also applies to its enhancements
 * @throws Failure with the code of the reference; BAD_USER_INPUT for a reserved reference without a meaning
 */
export function assertTestReference(
  { testOf }: Owner,
  reference: string | undefined,
  ofUpload: string | null = null,
): void {
  if (testOf === null) return;
  const effect = findTestEffect(reference);
  if (effect === undefined && reference?.startsWith(TEST_PREFIX)) throw unknownTestReference(reference);
  const { fails } = effect ?? findTestEffect(ofUpload) ?? {};
  if (fails?.part !== 'request') return;
  const { code } = fails;
  throw new Failure(code, FAILURES[code].retryable ? { retryAfterSeconds: RETRY_SECONDS } : {});
}

/** An order whose reference asks for an approval accepts no credits. */
export function withTestApproval<Order extends { reference?: string; maxCredits?: number | null }>(
  { testOf }: Owner,
  order: Order,
  ofUpload: string | null | undefined,
): Order {
  const effect = testOf === null ? undefined : (findTestEffect(order.reference) ?? findTestEffect(ofUpload));
  return effect?.waitsFor === 'approval' ? { ...order, maxCredits: 0 } : order;
}

/** The provider of an order: that of tests for a test account, and else the given one. */
export const providerFor = ({ testOf }: Owner, provider: ProviderName): ProviderName =>
  testOf === null ? provider : 'test';

/** @throws Failure BAD_USER_INPUT if another account asks for the provider of tests */
export function assertProviderOfTests({ testOf }: Owner, provider: ProviderName | undefined): void {
  if (provider !== 'test' || testOf !== null) return;
  const detail = 'Only a test key has the provider TEST. Use a test key, or remove provider.';
  throw new Failure('BAD_USER_INPUT', { field: 'provider', detail });
}
