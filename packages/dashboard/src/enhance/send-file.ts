import type { MediaType } from '@burnish/engine/contract';
import { endSession, sender } from '../api/client.ts';

export interface SendOptions {
  /** Idempotency key: all attempts create one upload */
  idempotencyKey: string;
  signal: AbortSignal;
  /** 0 to 1 */
  onProgress: (fraction: number) => void;
  onMade: (id: string) => void;
}

/** Sends a file. @returns the id of its upload */
export async function sendFile(file: File, type: MediaType, options: SendOptions): Promise<string> {
  const { idempotencyKey, signal, onProgress, onMade } = options;
  // Browsers know fewer types than the service.
  const typed = new File([file], file.name, { type });
  const { id } = await endSession(
    sender.uploads.create(typed, {
      idempotencyKey,
      signal,
      onCreated: onMade,
      onProgress: (sent, total) => onProgress(total > 0 ? sent / total : 0),
    }),
  );
  return id;
}
