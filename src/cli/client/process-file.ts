import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { UploadWithEnhancementsRepresentation } from '../../domain/representations/upload.ts';
import type { Client } from './client.ts';
import type { UploadEvent } from './watch-upload.ts';

/** Milliseconds that a cancellation may take after Ctrl-C. */
const CANCEL_MS = 5_000;

export interface ProcessOptions {
  parameters: EnhancementParameters;
  password?: string;
  /** One of many: other work has priority */
  batch?: boolean;
  /** Aborting it cancels what runs for this file on the instance */
  signal?: AbortSignal | undefined;
  /** Bytes that have been sent so far */
  onSent?: (bytes: number) => void;
  /** The upload is accepted: it has an id and is durable from now on */
  onAccepted?: (upload: UploadWithEnhancementsRepresentation) => void;
  onEvent?: (event: UploadEvent) => void;
}

/**
 * Sends a file for one enhancement and follows it to its end. Too few credits end it at once, because nobody waits at a
 * terminal for the next period.
 * @throws ClientError; the signal's reason once the running work is cancelled
 */
export async function processFile(
  client: Client,
  path: string,
  options: ProcessOptions,
): Promise<UploadWithEnhancementsRepresentation> {
  const { parameters, password, batch = false, signal, onSent, onAccepted, onEvent } = options;
  const accepted = await client.upload(path, {
    enhancements: [parameters],
    creditWait: 0,
    batch,
    signal,
    ...(password === undefined ? {} : { password }),
    ...(onSent === undefined ? {} : { onSent }),
  });
  onAccepted?.(accepted);
  try {
    for await (const event of client.watch(accepted.id, { signal })) onEvent?.(event);
  } catch (error) {
    if (signal?.aborted) await cancelAll(client, accepted);
    throw error;
  }
  return await client.getUpload(accepted.id);
}

async function cancelAll(client: Client, { enhancements }: UploadWithEnhancementsRepresentation): Promise<void> {
  const cancelled = enhancements.map(({ id }) => client.cancelEnhancement(id, AbortSignal.timeout(CANCEL_MS)));
  // An enhancement that has ended cannot be cancelled, and a stopped instance cannot answer: neither is an error here.
  await Promise.allSettled(cancelled);
}
