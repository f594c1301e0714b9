import { EVENT_KINDS } from '../../domain/events/events.ts';
import type { WebhookWithSecret } from './webhook-commands.ts';
import { builder } from '../graphql/builder.ts';
import { WebhookType } from '../graphql/record-types.ts';

WebhookType.implement({
  description: 'A registered address that events of the account are sent to.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the endpoint, `whk_…`.' }),
    url: t.exposeString('url', { description: 'Where events are sent to.' }),
    events: t.exposeStringList('events', { description: `Kinds of events that are sent: ${EVENT_KINDS.join(', ')}.` }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was registered.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disabled, as an answer of 410 does; null while it is enabled.',
    }),
  }),
});

export const WebhookWithSecretPayload = builder.objectRef<WebhookWithSecret>('WebhookWithSecret').implement({
  description: 'An endpoint with the secret that its deliveries are signed with.',
  fields: (t) => ({
    webhook: t.expose('endpoint', { type: WebhookType, description: 'The endpoint.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'Secret of the Standard Webhooks signature, `whsec_…`, shown this once; null in the answer to a repetition with the same Idempotency-Key.',
    }),
  }),
});
