import { isPending, isTerminal } from '@burnish/contract';
import type { UploadWithEnhancements } from '../api/types.ts';
import { uploadState } from './words.ts';

/** Whether something is at work, waits for a person or for a destination, or nothing will happen by itself. */
export function findActivity(upload: UploadWithEnhancements): 'busy' | 'waiting' | 'settled' {
  const open = upload.enhancements.filter(({ status }) => !isTerminal(status));
  if (uploadState(upload).tone === 'busy') return 'busy';
  if (open.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING')) return 'busy';
  const writes = upload.enhancements.some(({ destination }) => isPending(destination));
  return open.length > 0 || writes ? 'waiting' : 'settled';
}
