import { afterAll, beforeAll } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/enhancement.ts';
import type { UploadRecord } from '../e2e/api.ts';
import { until } from '../e2e/until.ts';
import { type FarSide, type NearSide, startFarSide, startNearSide } from './second-instance.ts';

/** An upload on our side, and what became of it on both. */
export interface BothSides {
  upload: UploadRecord;
  enhancement: EnhancementRepresentation;
  /** Enhancements at the far side that ours led to */
  hosted: EnhancementRepresentation[];
  /** Credits that both ledgers took, and what they still hold */
  credits: { near: number; far: number; held: number };
}

/** Starts both sides before the tests of a file and ends them after. @param env settings of ours beside those that it needs */
export function useBothSides(env: NodeJS.ProcessEnv = {}): { far: FarSide; near: NearSide } {
  const sides = {} as { far: FarSide; near: NearSide };
  beforeAll(async () => {
    sides.far = await startFarSide();
  });
  beforeAll(async () => {
    sides.near = await startNearSide(sides.far, env);
  });
  afterAll(async () => {
    // Either may not have come into being.
    await (sides.near as NearSide | undefined)?.[Symbol.asyncDispose]();
    await (sides.far as FarSide | undefined)?.[Symbol.asyncDispose]();
  });
  return sides;
}

/** The far side knows our uploads by our ids, as the names of their files. */
export async function hostedUploadOf(far: FarSide, uploadId: string): Promise<UploadRecord | undefined> {
  const { body } = await far.instance.api.get<{ items: UploadRecord[] }>('/v1/uploads?limit=100');
  const found = body.items.find(
    ({ originalFilename, status }) => originalFilename.startsWith(uploadId) && status !== 'UPLOAD_DELETED',
  );
  if (found === undefined) return undefined;
  return (await far.instance.api.get<UploadRecord>(`/v1/uploads/${found.id}`)).body;
}

/** Sends a file with one enhancement, waits until nothing of it runs any more, and looks at both sides. */
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
