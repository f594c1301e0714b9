import pLimit from 'p-limit';
import { once, post } from '../api/client.ts';
import type { WebhookDelivery } from '../api/types.ts';

/** Requests at once, so that a page of failed deliveries does not use up the rate of its account. */
const AT_ONCE = 4;

export const redeliver = (id: string): Promise<WebhookDelivery> =>
  post<WebhookDelivery>(`/v1/webhook-deliveries/${id}/redeliver`, { idempotencyKey: once() });

/** What became of many deliveries that were sent again. */
export interface Redelivered {
  sent: string[];
  /** Why the first of the others was refused; undefined if none was */
  error: unknown;
}

/** Sends the events of these deliveries again. A refusal of one does not hold back the others. */
export async function redeliverMany(ids: readonly string[]): Promise<Redelivered> {
  const limit = pLimit(AT_ONCE);
  const outcomes = await Promise.allSettled(ids.map((id) => limit(() => redeliver(id))));
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  return { sent: ids.filter((_, index) => outcomes[index]!.status === 'fulfilled'), error: refused?.reason as unknown };
}
