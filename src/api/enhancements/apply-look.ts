import { type EnhancementParameters, Failure, nameVersion, parseSavedReference } from '@burnish/contract';
import type { Caller } from '../commands/command-types.ts';
import type { Looks } from '../../database/accounts/looks.ts';

/**
 * Adds the values of the look that an order names, so that its deletion changes no order.
 * @returns the parameters with the version of their look, such as `warm@3`
 * @throws Failure BAD_USER_INPUT with field `mode.look`
 */
export async function applyLook(
  { looks }: { looks: Pick<Looks, 'find'> },
  { account }: Pick<Caller, 'account'>,
  parameters: EnhancementParameters,
): Promise<EnhancementParameters> {
  const { mode } = parameters;
  if (typeof mode !== 'object' || mode.values !== undefined) return parameters;
  const wanted = parseSavedReference(mode.look);
  const found = wanted && (await looks.find(account.id, wanted));
  if (found === undefined) {
    const detail = `The account has no look ${mode.look}. Choose one of GET /v1/looks, or build it.`;
    throw new Failure('BAD_USER_INPUT', { field: 'mode.look', detail });
  }
  return { ...parameters, mode: { look: nameVersion(found), values: found.values } };
}
