import { namePreset } from '../../../../src/domain/enhancement/preset.ts';
import { once, post } from '../api/client.ts';
import type { Enhancement } from '../api/types.ts';
import type { Settings } from '../presets/presets.ts';
import { loadCredits } from './credits-left.ts';

export async function orderEnhancement(
  uploadId: string,
  { parameters, preset }: Settings,
  maxCredits?: number,
): Promise<Enhancement> {
  const body = {
    ...parameters,
    ...(preset === undefined ? {} : { preset: namePreset(preset) }),
    ...(maxCredits === undefined ? {} : { maxCredits }),
  };
  const made = await post<Enhancement>(`/v1/uploads/${uploadId}/enhancements`, { body, idempotencyKey: once() });
  loadCredits();
  return made;
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
