import fc from 'fast-check';
import type { CreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { newId } from './records.ts';

/** Something done to the ledger, in one of two months, for one of four enhancements. */
export type Movement =
  | { kind: 'reserve' | 'capture'; slot: Slot; credits: number; month: number }
  | { kind: 'release'; slot: Slot; month: number }
  | { kind: 'topUp'; reference: string; credits: number; month: number }
  | { kind: 'balance'; month: number };

interface Slot {
  index: number;
  ids: string[];
}

export interface Model {
  perPeriod: number;
  periods: Map<number, { granted: number; used: number; reserved: number }>;
  reservations: Map<
    number,
    { credits: number; month: number; state: 'open' | 'captured' | 'released'; charged: number }
  >;
  references: Map<string, number>;
}

export const newModel = (perPeriod: number): Model => ({
  perPeriod,
  periods: new Map(),
  reservations: new Map(),
  references: new Map(),
});

/** A sequence of movements; ids are new in each, since an enhancement belongs to one account. */
export const movements: fc.Arbitrary<Movement[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(
        'reserve' as const,
        'reserve' as const,
        'capture' as const,
        'release' as const,
        'topUp' as const,
        'balance' as const,
      ),
      index: fc.integer({ min: 0, max: 3 }),
      credits: fc.integer({ min: 0, max: 6 }),
      month: fc.constantFrom(0, 0, 1),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((given) => {
    const ids = Array.from({ length: 4 }, () => newId('enh'));
    return given.map(({ kind, index, credits, month }): Movement => {
      const slot = { index, ids };
      if (kind === 'topUp') return { kind, reference: `r${index}`, credits, month };
      if (kind === 'balance') return { kind, month };
      return kind === 'release' ? { kind, slot, month } : { kind, slot, credits, month };
    });
  });

const nowOf = (month: number): number => Date.UTC(2025, 2 + month, 15);

export async function perform(ledger: CreditLedger, accountId: string, movement: Movement): Promise<unknown> {
  const nowMs = nowOf(movement.month);
  switch (movement.kind) {
    case 'topUp':
      return ledger.topUp({ accountId, credits: movement.credits, reference: movement.reference, nowMs });
    case 'balance': {
      const { granted, used, reserved, remaining } = await ledger.balance(accountId, nowMs);
      return { granted, used, reserved, remaining };
    }
    case 'reserve':
      return ledger.reserve({ accountId, enhancementId: idOf(movement.slot), credits: movement.credits, nowMs });
    case 'release':
      return ledger.release({ accountId, enhancementId: idOf(movement.slot), nowMs });
    case 'capture':
      return ledger
        .capture({ accountId, enhancementId: idOf(movement.slot), credits: movement.credits, nowMs })
        .catch((error: unknown) => {
          if (error instanceof RangeError) return 'refused';
          throw error;
        });
  }
}

/** What the same movement does to the model, and what it answers. */
export function applyToModel(model: Model, movement: Movement): unknown {
  const period = periodOf(model, movement.month);
  if (movement.kind === 'topUp') {
    const { reference, credits } = movement;
    const known = model.references.get(reference);
    if (known !== undefined) return { added: false, credits: known };
    model.references.set(reference, credits);
    period.granted += credits;
    return { added: true, credits };
  }
  const left = (): number => period.granted - period.used - period.reserved;
  if (movement.kind === 'balance') return { ...period, remaining: left() };
  const { index } = movement.slot;
  const made = model.reservations.get(index);
  if (movement.kind === 'release') {
    if (made === undefined)
      model.reservations.set(index, { credits: 0, month: movement.month, state: 'released', charged: 0 });
    else if (made.state === 'open') {
      made.state = 'released';
      periodOf(model, made.month).reserved -= made.credits;
    }
    return undefined;
  }
  if (movement.kind === 'capture') {
    if (made?.state === 'captured') return { charged: made.charged };
    if (made?.state === 'released') return { charged: 0 };
    if (made === undefined) {
      const charged = Math.min(movement.credits, left());
      period.used += charged;
      const lost = { credits: charged, month: movement.month, state: 'captured', charged } as const;
      model.reservations.set(index, lost);
      return { charged };
    }
    if (movement.credits > made.credits) return 'refused';
    const its = periodOf(model, made.month);
    its.reserved -= made.credits;
    its.used += movement.credits;
    Object.assign(made, { state: 'captured', charged: movement.credits });
    return { charged: movement.credits };
  }
  if (made?.state === 'released') return { outcome: 'closed', remaining: left() };
  if (made !== undefined) return { outcome: 'reserved', remaining: left() };
  if (left() < movement.credits) return { outcome: 'insufficient', remaining: left() };
  period.reserved += movement.credits;
  model.reservations.set(index, { credits: movement.credits, month: movement.month, state: 'open', charged: 0 });
  return { outcome: 'reserved', remaining: left() };
}

function periodOf(model: Model, month: number): { granted: number; used: number; reserved: number } {
  const known = model.periods.get(month) ?? { granted: model.perPeriod, used: 0, reserved: 0 };
  model.periods.set(month, known);
  return known;
}

const idOf = ({ ids, index }: Slot): string => ids[index]!;
