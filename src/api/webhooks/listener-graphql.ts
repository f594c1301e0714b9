import { EVENT_KINDS } from '../../domain/events/events.ts';
import { builder } from '../graphql/builder.ts';
import { DeletePayload } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import type { ListenerWithSecret } from './listener-commands.ts';
import { listenerSchema, listenerWithSecretSchema, openListenerBody } from './listener-schemas.ts';

const WebhookListenerType = restType('WebhookListener', listenerSchema);

const OpenListenerPayload = builder.objectRef<ListenerWithSecret>('WebhookListenerWithSecret').implement({
  restSchema: listenerWithSecretSchema,
  fields: (t) => ({
    listener: t.field({ type: WebhookListenerType, description: 'The listener.', resolve: (listener) => listener }),
    secret: t.exposeString('secret'),
  }),
});

query('webhookListeners', {
  scope: 'webhooks',
  type: [WebhookListenerType],
  description: 'Lists the listeners of the account, oldest first.',
  handle: ({ caller }, { webhookListeners }) => webhookListeners.list(caller.account.id),
});

mutation('openWebhookListener', {
  scope: 'webhooks',
  type: OpenListenerPayload,
  description:
    'Creates a listener, or continues the one with this name. Its deliveries are streamed over REST. Errors: BAD_USER_INPUT.',
  args: openListenerBody,
  handle: ({ caller, args: { events = EVENT_KINDS, ...order }, idempotencyKey }, { commands }) =>
    commands.openListener(caller, { ...order, events }, idempotencyKey),
});

mutation('deleteWebhookListener', {
  scope: 'webhooks',
  type: DeletePayload,
  description: 'Deletes a listener. Its waiting deliveries fail; the delivery log remains. Errors: NOT_FOUND.',
  ids: { id: 'lsn' },
  async handle({ caller, args: { id }, idempotencyKey }, { commands }) {
    await commands.deleteListener(caller, id, idempotencyKey);
    return { id };
  },
});
