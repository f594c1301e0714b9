import type { EnhancementOrder, UploadOrder } from '../commands/command-types.ts';
import { DEFAULT_CREDIT_WAIT_SECONDS, FALLBACK_NAMES, PRIORITY_NAMES, PROVIDER_NAMES } from './upload-requests.ts';
import type { EnhancementOrderBody, UploadOrderBody } from './upload-requests.ts';

interface Spending {
  maxCredits?: number | undefined;
  creditWait?: number | undefined;
}

/** A REST body as commands understand it: seconds become milliseconds, what is absent its default. */
export function toEnhancementOrder(
  { maxCredits, creditWait, priority, ...parameters }: EnhancementOrderBody,
  defaults: Spending = {},
): EnhancementOrder {
  const waitSeconds = creditWait ?? defaults.creditWait ?? DEFAULT_CREDIT_WAIT_SECONDS;
  return {
    parameters,
    maxCredits: maxCredits ?? defaults.maxCredits ?? null,
    creditWaitMs: waitSeconds * 1000,
    ...(priority === undefined ? {} : { urgency: PRIORITY_NAMES[priority] }),
  };
}

/** `maxCredits` and `creditWait` of the upload hold for each enhancement that brings none of its own. */
export function toUploadOrder(body: UploadOrderBody): UploadOrder {
  const { filename, enhancements, webhookUrl, provider, fallback, priority, ...defaults } = body;
  return {
    filename: filename ?? null,
    webhookUrl: webhookUrl ?? null,
    enhancements: (enhancements ?? []).map((each) => toEnhancementOrder(each, defaults)),
    // Left out where nothing was said, so that a request with an idempotency key stays the same request.
    ...(provider === undefined ? {} : { provider: PROVIDER_NAMES[provider] }),
    ...(fallback === undefined ? {} : { fallback: FALLBACK_NAMES[fallback] }),
    ...(priority === undefined ? {} : { urgency: PRIORITY_NAMES[priority] }),
  };
}
