import type { z } from 'zod';
import { EVENT_KINDS } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import { builder } from '../graphql/builder.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/names.ts';
import { restInput } from '../graphql/rest-inputs.ts';
import { restType, typeOf } from '../graphql/rest-types.ts';
import { type SchemaPart, mutation } from '../graphql/root-fields.ts';
import type { WebhookNeeds } from './webhook-commands.ts';
import { createWebhookBody, representWithSecret, webhookSchema, webhookWithSecretSchema } from './webhook-schemas.ts';

const Webhook = restType(webhookSchema, (t) => ({
  secret: t.string({
    nullable: true,
    description: `${PUBLIC_SERVICE} always null here; \`createWebhook\` shows the secret once.`,
    resolve: () => null,
  }),
}));

const WebhookWithSecret = typeOf(
  webhookWithSecretSchema,
  builder.objectRef<z.output<typeof webhookWithSecretSchema>>('WebhookWithSecret').implement({
    description: restText(webhookWithSecretSchema),
    fields: (t) => ({
      webhook: t.field({ type: Webhook, description: 'The endpoint.', resolve: (webhook) => webhook }),
      secret: t.exposeString('secret', { nullable: true, description: restText(webhookWithSecretSchema.shape.secret) }),
      id: t.exposeID('id', { description: `${PUBLIC_SERVICE} \`webhook.id\`.` }),
      url: t.exposeString('url', { description: `${PUBLIC_SERVICE} \`webhook.url\`.` }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: `${PUBLIC_SERVICE} \`webhook.createdAt\`.` }),
    }),
  }),
);

const publicInput = createWebhookBody
  .omit({ events: true })
  .meta({ description: `${PUBLIC_SERVICE} input of \`createWebhook\`.` });
restInput('CreateWebhookInput', publicInput);

/** The public service has the fields of an endpoint in `input`. */
export const webhookParts: SchemaPart[] = [
  mutation('createWebhook', {
    scope: 'webhooks',
    type: WebhookWithSecret,
    description: 'Registers an endpoint. An account has at most 5. Errors: BAD_USER_INPUT, URL_NOT_ALLOWED.',
    args: createWebhookBody
      .partial({ url: true })
      .extend({
        input: publicInput.optional().meta({ description: `${PUBLIC_SERVICE} instead of \`url\` and \`events\`.` }),
      })
      .refine(({ input, ...named }) => input === undefined || Object.keys(named).length === 0, {
        path: ['input'],
        message: 'expected either input, or its fields',
      }),
    async handle({ caller, args: { input, ...named }, idempotencyKey }, { commands }: WebhookNeeds) {
      const { events = EVENT_KINDS, ...order } = checked(createWebhookBody, input ?? named);
      return representWithSecret(await commands.createWebhook(caller, { ...order, events }, idempotencyKey));
    },
  }),
];
