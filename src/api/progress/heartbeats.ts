import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { EnhancementProgress } from '../../domain/enhancement.ts';
import { enhancementWorkflowId } from '../../domain/messages.ts';

const progressSchema = z.object({ step: z.string().max(100), fraction: z.number().min(0).max(1) });

/** Reads how far running work is. */
export type ReadProgress = (enhancementId: string) => Promise<EnhancementProgress | undefined>;

/** Reads the heartbeats of the activities that an enhancement's workflow waits for; the furthest one counts. */
export function createProgressReader(client: Pick<Client, 'workflow'>): ReadProgress {
  const { payloadConverter, payloadCodecs } = client.workflow.options.loadedDataConverter;

  async function decode(payloads: Payload[]): Promise<unknown> {
    let decoded = payloads;
    for (const codec of payloadCodecs) decoded = await codec.decode(decoded);
    return decoded[0] === undefined ? undefined : payloadConverter.fromPayload(decoded[0]);
  }

  return async (enhancementId) => {
    const { raw } = await client.workflow.getHandle(enhancementWorkflowId(enhancementId)).describe();
    const details = (raw.pendingActivities ?? []).map(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? []);
    const progress = await Promise.all(
      details.map(async (payloads) => progressSchema.safeParse(await decode(payloads)).data),
    );
    return progress.reduce(
      (furthest, each) => ((each?.fraction ?? -1) > (furthest?.fraction ?? -1) ? each : furthest),
      undefined,
    );
  };
}

export interface ProgressWatch {
  /** Calls back when the progress of an enhancement has changed. @returns ends it */
  subscribe(enhancementId: string, callback: (progress: EnhancementProgress) => void): () => void;
}

interface Watched {
  callbacks: Set<(progress: EnhancementProgress) => void>;
  timer: NodeJS.Timeout;
  last: EnhancementProgress | undefined;
}

/** Looks at each watched enhancement every so often, once for all who watch it, and never twice at the same time. */
export function createProgressWatch(deps: { read: ReadProgress; intervalMs: number; log: Logger }): ProgressWatch {
  const watched = new Map<string, Watched>();

  async function look(id: string, each: Watched): Promise<void> {
    const progress = await deps.read(id).catch((error: unknown) => {
      deps.log.debug({ err: error }, 'progress could not be read');
      return undefined;
    });
    const changed =
      progress !== undefined && (progress.step !== each.last?.step || progress.fraction !== each.last.fraction);
    if (changed) {
      each.last = progress;
      each.callbacks.forEach((callback) => callback(progress));
    }
    if (watched.get(id) === each) each.timer = next(id, each);
  }
  const next = (id: string, each: Watched): NodeJS.Timeout =>
    setTimeout(() => void look(id, each), deps.intervalMs).unref();

  return {
    subscribe(id, callback) {
      let each = watched.get(id);
      if (each === undefined) {
        each = { callbacks: new Set(), timer: setTimeout(() => undefined), last: undefined };
        watched.set(id, each);
        each.timer = next(id, each);
      }
      each.callbacks.add(callback);
      if (each.last !== undefined) callback(each.last);
      const { callbacks } = each;
      return () => {
        callbacks.delete(callback);
        const current = watched.get(id);
        if (callbacks.size > 0 || current?.callbacks !== callbacks) return;
        clearTimeout(current.timer);
        watched.delete(id);
      };
    },
  };
}
