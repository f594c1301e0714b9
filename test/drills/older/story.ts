import { expect } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import type { UploadRecord } from '../../e2e/api.ts';
import { photo } from '../../e2e/files.ts';
import type { Instance } from '../../e2e/instance.ts';
import { until } from '../../support/until.ts';

const OVER_LIMIT = { upscalingFactor: 'X2', maxCredits: 1 };
/** Credits of one enhancement at X2 */
export const PRICE = 4;

type Credits = Awaited<ReturnType<Instance['api']['credits']>>;

/** Uploads before a copy is made. */
export interface Before {
  plain: UploadRecord;
  toDelete: UploadRecord;
  /** Its enhancement waits for approval */
  estimated: UploadRecord;
  credits: Credits;
}

/** What happens to them after the copy. */
export interface After {
  /** Ordered for `plain`; it waits for approval */
  late: EnhancementRepresentation;
  /** A new upload with a finished enhancement */
  added: UploadRecord;
}

/** @param order of an upload that waits for approval, or of none */
export async function send({ api }: Instance, seed: number, order: object[] = []): Promise<UploadRecord> {
  const { status, body } = await api.upload(await photo(seed), { enhancements: order });
  expect(status).toBe(202);
  return body;
}

export const approve = async ({ api }: Instance, id: string): Promise<void> =>
  expect((await api.call('POST', `/v1/enhancements/${id}/approve`)).status).toBe(202);

/** Three uploads: a finished one, one that is deleted later, and one whose enhancement waits for approval. */
export async function beforeTheCopy(instance: Instance): Promise<Before> {
  const { api } = instance;
  const [plain, toDelete, estimated] = [
    await send(instance, 1),
    await send(instance, 2, [{}]),
    await send(instance, 3, [OVER_LIMIT]),
  ];
  for (const { id } of [plain, toDelete]) await api.settled(id);
  await api.reached(estimated.enhancements[0]!.id, 'AWAITING_APPROVAL');
  return { plain, toDelete, estimated, credits: await api.credits() };
}

/** An approval, an order, a deletion, and a new upload. */
export async function afterTheCopy(instance: Instance, { plain, toDelete, estimated }: Before): Promise<After> {
  const { api } = instance;
  await approve(instance, estimated.enhancements[0]!.id);
  await api.reached(estimated.enhancements[0]!.id, 'FINISHED');
  const path = `/v1/uploads/${plain.id}/enhancements`;
  const order = { body: { enhancements: [OVER_LIMIT] } };
  const { body } = await api.call<{ enhancements: [EnhancementRepresentation] }>('POST', path, order);
  const [late] = body.enhancements;
  await api.reached(late.id, 'AWAITING_APPROVAL');
  expect((await api.call('DELETE', `/v1/uploads/${toDelete.id}`)).status).toBe(202);
  await deleted(instance, toDelete.id);
  const added = await api.settled((await send(instance, 4, [{ upscalingFactor: 'X2' }])).id);
  return { late, added };
}

/** Waits for the tombstone of an upload. */
export const deleted = ({ api }: Instance, id: string): Promise<unknown> =>
  until(
    async () => (await api.get<UploadRecord>(`/v1/uploads/${id}`)).body.status,
    (status) => status === 'UPLOAD_DELETED',
  );
