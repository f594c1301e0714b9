import { type EnhancementParameters, Failure, nameVersion, parseSavedReference } from '@burnish/contract';
import type { Looks } from '../../database/accounts/looks.ts';
import type { Presets } from '../../database/accounts/presets.ts';
import { withoutReplacedSize } from '../../domain/enhancement/parameter-rules.ts';
import type { Caller } from '../commands/command-types.ts';

export interface ApplySavedDeps {
  presets: Pick<Presets, 'find'>;
  looks: Pick<Looks, 'find'>;
}

interface Presettable {
  parameters: EnhancementParameters;
  /** As the caller gave it: `web` or `web@3` */
  preset?: string;
}

/** Adds what an order names: the parameters of its preset, then the values of its look. @throws Failure BAD_USER_INPUT with the field */
export async function applySaved<Order extends Presettable>(
  deps: ApplySavedDeps,
  caller: Pick<Caller, 'account'>,
  order: Order,
): Promise<Omit<Order, 'preset'> & { appliedPreset?: string }> {
  const complete = await applyPreset(deps, caller, order);
  return { ...complete, parameters: await applyLook(deps, caller, complete.parameters) };
}

/**
 * Adds the parameters of the preset that an order names. Parameters of the order itself take precedence, and its size replaces
 * that of the preset.
 * @returns the order with the version of its preset, such as `web@3`
 * @throws Failure BAD_USER_INPUT with field `preset`
 */
async function applyPreset<Order extends Presettable>(
  { presets }: ApplySavedDeps,
  { account }: Pick<Caller, 'account'>,
  { preset: given, ...order }: Order,
): Promise<Omit<Order, 'preset'> & { appliedPreset?: string }> {
  if (given === undefined) return order;
  const wanted = parseSavedReference(given);
  const found = wanted && (await presets.find(account.id, wanted));
  if (found === undefined) {
    const detail = `The account has no preset ${given}. Choose one of GET /v1/presets, or save it.`;
    throw new Failure('BAD_USER_INPUT', { field: 'preset', detail });
  }
  const saved = withoutReplacedSize(found.parameters, order.parameters);
  return { ...order, parameters: { ...saved, ...order.parameters }, appliedPreset: nameVersion(found) };
}

/**
 * Adds the values of the look that an order names, so that its deletion changes no order.
 * @returns the parameters with the version of their look, such as `warm@3`
 * @throws Failure BAD_USER_INPUT with field `mode.look`
 */
async function applyLook(
  { looks }: ApplySavedDeps,
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
