import type { EnhancementOrder, UploadOrder } from '../commands/types.ts';
import { DEFAULT_CREDIT_WAIT_SECONDS } from './requests.ts';
import type { EnhancementOrderBody, UploadOrderBody } from './requests.ts';

interface Spending {
  maxCredits?: number | undefined;
  creditWait?: number | undefined;
}

/** A REST body as commands understand it: seconds become milliseconds, what is absent its default. */
export function toEnhancementOrder(
  { maxCredits, creditWait, ...parameters }: EnhancementOrderBody,
  defaults: Spending = {},
): EnhancementOrder {
  const waitSeconds = creditWait ?? defaults.creditWait ?? DEFAULT_CREDIT_WAIT_SECONDS;
  return { parameters, maxCredits: maxCredits ?? defaults.maxCredits ?? null, creditWaitMs: waitSeconds * 1000 };
}

/** `maxCredits` and `creditWait` of the upload hold for each enhancement that brings none of its own. */
export function toUploadOrder({ filename, enhancements, webhookUrl, ...defaults }: UploadOrderBody): UploadOrder {
  return {
    filename: filename ?? null,
    webhookUrl: webhookUrl ?? null,
    enhancements: (enhancements ?? []).map((each) => toEnhancementOrder(each, defaults)),
  };
}
