import type { EnhancementParameters } from '@burnish/contract';
import type { Caller } from '../commands/command-types.ts';
import { applyLook } from './apply-look.ts';
import { applyPreset, type ApplyPresetDeps } from './apply-preset.ts';

export type ApplySavedDeps = ApplyPresetDeps & Parameters<typeof applyLook>[0];

/** Adds what an order names: the parameters of its preset, then the values of its look. @throws Failure BAD_USER_INPUT with the field */
export async function applySaved<Order extends { parameters: EnhancementParameters; preset?: string }>(
  deps: ApplySavedDeps,
  caller: Pick<Caller, 'account'>,
  order: Order,
): Promise<Omit<Order, 'preset'> & { appliedPreset?: string }> {
  const complete = await applyPreset(deps, caller, order);
  return { ...complete, parameters: await applyLook(deps, caller, complete.parameters) };
}
