import type { Plan } from './plans.ts';

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

/** Days (decisions.md, "retention"; service.md, section 8). */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;
