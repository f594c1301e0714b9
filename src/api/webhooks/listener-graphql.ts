import { EVENT_KINDS } from '../../domain/events/events.ts';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { knownId, withoutNulls } from '../graphql/input.ts';
import { DeletePayload } from '../graphql/record-types.ts';
import { restType } from '../graphql/rest-types.ts';
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

builder.queryFields((t) => ({
  webhookListeners: t.field({
    scope: 'webhooks',
    type: [WebhookListenerType],
    description: 'Lists the listeners of the account, oldest first.',
    resolve: (_root, _args, { deps, caller }) => deps.webhookListeners.list(caller.account.id),
  }),
}));

builder.mutationFields((t) => ({
  openWebhookListener: t.field({
    scope: 'webhooks',
    type: OpenListenerPayload,
    nullable: true,
    description:
      'Creates a listener, or continues the one with this name. Its deliveries are streamed over REST. Errors: BAD_USER_INPUT.',
    restSchema: openListenerBody,
    args: {
      name: t.arg.string({ required: true }),
      events: t.arg.stringList(),
      since: t.arg({ type: 'DateTime' }),
    },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const { events = EVENT_KINDS, ...order } = openListenerBody.parse(withoutNulls(args));
      return await deps.commands.openListener(caller, { ...order, events }, await keyFor(info));
    },
  }),
  deleteWebhookListener: t.field({
    scope: 'webhooks',
    type: DeletePayload,
    nullable: true,
    description: 'Deletes a listener. Its waiting deliveries fail; the delivery log remains. Errors: NOT_FOUND.',
    args: { id: t.arg.id({ required: true, description: restText(listenerSchema.shape.id) }) },
    resolve: async (_root, { id }, { deps, caller, keyFor }, info) => {
      await deps.commands.deleteListener(caller, knownId('lsn', id), await keyFor(info));
      return { id };
    },
  }),
}));
