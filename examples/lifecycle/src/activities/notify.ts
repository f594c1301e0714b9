import { Context } from '@temporalio/activity';
import { Webhook } from 'standardwebhooks';
import type { Steps } from '../steps';

/**
 * The step that tells the shop, by a signed webhook. Attempts have the same id, so that the shop drops those that it has
 * handled. Burnish: an endpoint is reached at public addresses only.
 * @param shop its address, and the secret of its endpoint (`whsec_…`)
 */
export function notifyShop(shop: { url: string; secret: string }): Steps['notify'] {
  const webhook = new Webhook(shop.secret);
  return async (outcome) => {
    const { workflowExecution } = Context.current().info;
    const id = `${workflowExecution?.workflowId}/${outcome.status}`;
    const body = JSON.stringify({ id, event: 'order.ended', data: outcome, created: new Date().toISOString() });
    const now = new Date();
    const { ok, status } = await fetch(shop.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      },
      signal: Context.current().cancellationSignal,
    });
    if (!ok) throw new Error(`The shop answered HTTP ${status}.`);
  };
}
