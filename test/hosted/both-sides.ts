import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import type { UploadRecord } from '../e2e/api.ts';
import { until } from '../support/until.ts';
import { type FarSide, type NearSide, startFarSide, startNearSide } from './second-instance.ts';

/** An upload at the local instance, and its outcome at both instances. */
export interface BothSides {
  upload: UploadRecord;
  enhancement: EnhancementRepresentation;
  /** Enhancements of this upload at the hosted service (second instance) */
  hosted: EnhancementRepresentation[];
  /** Credits that each ledger charged, and the sum of the reserved credits of both */
  credits: { near: number; far: number; held: number };
}

/**
 * Starts both instances before the tests of a file, and ends them after.
 * @param env additional settings of the local one
 * @param farEnv additional settings of the other one
 */
export function useBothSides(
  env: NodeJS.ProcessEnv = {},
  farEnv: NodeJS.ProcessEnv = {},
): { far: FarSide; near: NearSide } {
  const sides = {} as { far: FarSide; near: NearSide };
  beforeAll(async () => {
    sides.far = await startFarSide(farEnv);
  });
  beforeAll(async () => {
    sides.near = await startNearSide(sides.far, env);
  });
  // How many webhooks come depends on the load, so a test may leave faults behind.
  afterEach(() => [sides.near.webhooks, sides.far.proxy].forEach((proxy) => proxy.clear()));
  afterAll(async () => {
    // An instance is missing if its start failed.
    await (sides.near as NearSide | undefined)?.[Symbol.asyncDispose]();
    await (sides.far as FarSide | undefined)?.[Symbol.asyncDispose]();
  });
  return sides;
}

/** Finds an upload at the hosted service. Its file name there begins with the id of the local upload. */
export async function hostedUploadOf(far: FarSide, uploadId: string): Promise<UploadRecord | undefined> {
  const { body } = await far.instance.api.get<{ items: UploadRecord[] }>('/v1/uploads?limit=100');
  const found = body.items.find(
    ({ originalFilename, status }) => originalFilename.startsWith(uploadId) && status !== 'UPLOAD_DELETED',
  );
  if (found === undefined) return undefined;
  return (await far.instance.api.get<UploadRecord>(`/v1/uploads/${found.id}`)).body;
}

/** Sends a file with one enhancement, waits until all its work ends, and reads the outcome at both instances. */
export async function enhanceThere(
  { near, far }: { near: NearSide; far: FarSide },
  file: Uint8Array,
  order: Record<string, unknown> = {},
  meanwhile: (uploadId: string) => Promise<void> = () => Promise.resolve(),
): Promise<BothSides> {
  const before = { near: await near.instance.api.credits(), far: await far.instance.api.credits() };
  const { body: accepted } = await near.instance.api.upload(file, { enhancements: [{}], ...order });
  await meanwhile(accepted.id);
  const upload = await near.instance.api.settled(accepted.id);
  const hosted = await hostedSettled(far, accepted.id);
  const after = { near: await near.instance.api.credits(), far: await far.instance.api.credits() };
  return {
    upload,
    enhancement: upload.enhancements[0]!,
    hosted,
    credits: {
      near: after.near.used - before.near.used,
      far: after.far.used - before.far.used,
      held: after.near.reserved + after.far.reserved,
    },
  };
}

async function hostedSettled(far: FarSide, uploadId: string): Promise<EnhancementRepresentation[]> {
  const running = ['QUEUED', 'PROCESSING'];
  return await until(async () => {
    const { enhancements = [] } = (await hostedUploadOf(far, uploadId)) ?? {};
    return enhancements.some(({ status }) => running.includes(status)) ? undefined : enhancements;
  });
}
