import { nameVersion } from '@burnish/contract';
import { once, post } from '../api/client.ts';
import type { Enhancement } from '../api/types.ts';
import type { Settings } from '../presets/presets.ts';
import { loadCredits } from './credits-left.ts';

export async function orderEnhancement(
  uploadId: string,
  { parameters, preset }: Settings,
  maxCredits?: number,
): Promise<Enhancement> {
  const order = {
    ...parameters,
    ...(preset === undefined ? {} : { preset: nameVersion(preset) }),
    ...(maxCredits === undefined ? {} : { maxCredits }),
  };
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
