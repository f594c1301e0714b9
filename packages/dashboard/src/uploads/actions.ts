import { nameVersion } from '@burnish/contract';
import { once, post } from '../api/client.ts';
import type { Enhancement } from '../api/types.ts';
import type { Settings } from '../presets/presets.ts';
import { loadCredits } from './credits-left.ts';

/** What an order has besides its settings. */
export interface OrderTerms {
  /** Credits; a higher price waits for approval */
  maxCredits?: number | undefined;
  /** Registered bucket, and the template of a key in it */
  destination?: { bucket: string; key: string };
  reference?: string | undefined;
}

/** @throws BurnishError */
export async function orderEnhancement(
  uploadId: string,
  { parameters, preset }: Settings,
  terms: OrderTerms = {},
): Promise<Enhancement> {
  const order = { ...parameters, ...(preset === undefined ? {} : { preset: nameVersion(preset) }), ...terms };
  const body = { enhancements: [order] };
  const path = `/v1/uploads/${uploadId}/enhancements`;
  const made = await post<{ enhancements: [Enhancement] }>(path, { body, idempotencyKey: once() });
  loadCredits();
  return made.enhancements[0];
}

export async function decide(id: string, decision: 'approve' | 'reject' | 'cancel'): Promise<void> {
  await post<Enhancement>(`/v1/enhancements/${id}/${decision}`, { idempotencyKey: once() });
  loadCredits();
}

/** Repeats the analysis of a PDF. @param password of an encrypted one */
export const analyzeAgain = (uploadId: string, password?: string): Promise<unknown> =>
  post(`/v1/uploads/${uploadId}/analyze`, {
    ...(password === undefined ? {} : { body: { password } }),
    idempotencyKey: once(),
  });
