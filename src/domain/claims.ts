interface Claim {
  /**
   * What ends it once its owner is gone. `sweep`: one gateway looks for owners, and returns the claim. `expiry`: it expires without
   * a renewal. `owner`: it lies in the memory or the row of its owner, and goes with it.
   */
  endedBy: 'sweep' | 'expiry' | 'owner';
  /** Maximum seconds from the loss of the owner to the end of the claim; 0 for `owner` */
  afterS: number;
}

/**
 * Everything that is counted or held so that other work waits for it. docs/faults.md has the same table with their owners, and
 * a test compares both with the sources.
 */
export const CLAIMS = {
  'begun webhook delivery': { endedBy: 'sweep', afterS: 60 },
  'slot at the hosted service': { endedBy: 'sweep', afterS: 60 },
  'running batch item': { endedBy: 'sweep', afterS: 60 },
  'open upload or enhancement': { endedBy: 'sweep', afterS: 120 },
  'refused start': { endedBy: 'sweep', afterS: 60 },
  'retention at the hosted service': { endedBy: 'expiry', afterS: 30 },
  'lock in the database': { endedBy: 'expiry', afterS: 30 },
  'job of one gateway': { endedBy: 'expiry', afterS: 25 },
  'data folder': { endedBy: 'expiry', afterS: 15 },
  'pages of an upload': { endedBy: 'owner', afterS: 0 },
  'permit in a process': { endedBy: 'owner', afterS: 0 },
  'idempotency key': { endedBy: 'owner', afterS: 0 },
} as const satisfies Record<string, Claim>;

type ClaimName = keyof typeof CLAIMS;
/** A claim that the sweep returns. */
export type SweptClaim = {
  [Name in ClaimName]: (typeof CLAIMS)[Name]['endedBy'] extends 'sweep' ? Name : never;
}[ClaimName];
