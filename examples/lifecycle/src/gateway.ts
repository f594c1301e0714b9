import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Order } from './steps';
import { changed, decide, lifecycle } from './workflows';

export const TASK_QUEUE = 'lifecycle';

type ShopEvent =
  | { event: 'order.created'; data: Order & { id: string } }
  | { event: 'order.decided'; data: { id: string; approved: boolean } };
type ServiceEvent = { event: string; data: { id: string } };

/**
 * Turns incoming webhooks into starts and signals. It keeps nothing, so any number of them may run. Burnish: each field of
 * an order is checked, callers have limits, two secrets are valid during a rotation, and an audit log has each change.
 * @param secrets of the endpoints (`whsec_…`) with which the shop and the service sign; the engine needs no service
 */
export function createGateway(temporal: Client, secrets: { shop: string; service?: string }): Express {
  const app = express();
  // The signature covers the bytes as they came.
  app.use(express.raw({ type: 'application/json', limit: '256kb' }));

  app.post('/webhooks/shop', async (req, res) => {
    const { event, data } = verified<ShopEvent>(req, secrets.shop);
    if (event === 'order.created') await start(data);
    if (event === 'order.decided')
      await told(temporal.workflow.getHandle(orderId(data.id)).signal(decide, data.approved));
    res.sendStatus(204);
  });

  app.post('/webhooks/service', async (req, res) => {
    const { data } = verified<ServiceEvent>(req, secrets.service);
    // The id of an upload or an enhancement. Nobody waits for events about others, such as a low balance.
    await told(temporal.workflow.getHandle(`service/${data.id}`).signal(changed));
    res.sendStatus(204);
  });

  /** The id of the order makes a repeated webhook start nothing, even after its workflow has ended. */
  async function start({ id, ...order }: Order & { id: string }): Promise<void> {
    const options = {
      taskQueue: TASK_QUEUE,
      workflowId: orderId(id),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    } as const;
    await temporal.workflow.start(lifecycle, { ...options, args: [order] }).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }

  app.use(refuse);
  return app;
}

const orderId = (id: string): string => `order/${id}`;

/** The event of a webhook by Standard Webhooks, at most five minutes old. The public service signs with hex HMAC-SHA256. */
function verified<T>(req: Request, secret: string | undefined): T {
  if (secret === undefined) throw new WebhookVerificationError('This endpoint has no secret.');
  const body = Buffer.isBuffer(req.body) ? req.body : '';
  return new Webhook(secret).verify(body, req.headers as Record<string, string>) as T;
}

/** A signal to a workflow that has ended, or does not exist yet, has no effect. `settle` then polls. */
async function told(signal: Promise<void>): Promise<void> {
  await signal.catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
}

/** The sender repeats a webhook that got 503, so an outage of Temporal loses none. */
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  if (error instanceof WebhookVerificationError) return void res.sendStatus(401);
  console.error(error);
  res.sendStatus(error.status ?? 503);
};
