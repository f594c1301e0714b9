import { type EnhancementParameters, nameVersion, parseSavedReference, Failure } from '@burnish/contract';
import { withoutReplacedSize } from '../../domain/enhancement/parameter-rules.ts';
import type { Caller } from '../commands/command-types.ts';
import type { Presets } from '../../database/accounts/presets.ts';

export interface ApplyPresetDeps {
  presets: Pick<Presets, 'find'>;
}

interface Presettable {
  parameters: EnhancementParameters;
  /** As the caller gave it: `web` or `web@3` */
  preset?: string;
}

/**
 * Adds the parameters of the preset that an order names. Parameters of the order itself take precedence, and its size replaces
 * that of the preset.
 * @returns the order with the version of its preset, such as `web@3`
 * @throws Failure BAD_USER_INPUT with field `preset`
 */
export async function applyPreset<Order extends Presettable>(
  { presets }: ApplyPresetDeps,
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
