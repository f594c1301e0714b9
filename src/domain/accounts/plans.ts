export const PLANS = {
  FREE: { name: 'Free', maxResolution: 300 },
  BASIC: { name: 'Basic', maxResolution: 600 },
  BUSINESS: { name: 'Business', maxResolution: 1200 },
} as const;

export type Plan = keyof typeof PLANS;
