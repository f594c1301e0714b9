export const PLANS = {
  FREE: { name: 'Free', maxResolution: 300 },
  BASIC: { name: 'Basic', maxResolution: 600 },
  BUSINESS: { name: 'Business', maxResolution: 1200 },
} as const;

export type Plan = keyof typeof PLANS;

export interface Account {
  id: string;
  name: string;
  plan: Plan;
  /** Credits granted at the start of each calendar-month period */
  creditsPerPeriod: number;
  /** Days that new uploads are kept, 1 to 365 */
  retentionDays: number;
  /** Signs deliveries to the address that an upload brought along; `whsec_…` */
  webhookSecret: string;
  createdAt: string;
}

/** API keys an account may have: more than environments and teams need, and few enough to show at once. */
export const MAX_API_KEYS = 100;

/** Days (docs/contract.md). */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;
