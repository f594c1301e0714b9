/** Activities of the fake about the credits of its account. Both may be repeated. */
export interface LedgerActivities {
  /** Reserves the price of an enhancement. @returns null, or the credits left if they are too few */
  reserve(enhancementId: string, credits: number): Promise<number | null>;
  /** Captures what an enhancement costs in the end, and releases the rest of its reservation. */
  settle(enhancementId: string, charged: number): Promise<void>;
}

/** The credits of the fake's account. */
export interface Ledger {
  readonly activities: LedgerActivities;
  topUp(credits: number): void;
}

/** @param credits of the account at the start */
export function createLedger(credits: number): Ledger {
  let remaining = credits;
  /** Credits that each enhancement holds; 0 after its end */
  const held = new Map<string, number>();
  return {
    topUp: (more) => void (remaining += more),
    activities: {
      async reserve(id, price) {
        if (held.has(id)) return null;
        if (remaining < price) return remaining;
        remaining -= price;
        held.set(id, price);
        return null;
      },
      async settle(id, charged) {
        remaining += (held.get(id) ?? charged) - charged;
        held.set(id, charged);
      },
    },
  };
}
