import { representCredits } from '../../credits/credit-operations.ts';
import { builder } from '../builder.ts';
import { connectionType, pageArgs, pageRequest } from '../connection.ts';
import { knownId } from '../input.ts';
import { Credits } from '../../credits/credit-graphql.ts';
import { Version } from '../types/payloads.ts';
import { ApiKeyType, WebhookDeliveryType, WebhookType } from '../record-types.ts';

const WebhookDeliveryConnection = connectionType('WebhookDelivery', WebhookDeliveryType);

builder.queryFields((t) => ({
  credits: t.field({
    type: Credits,
    nullable: true,
    description: 'Credits of the current period. An answer with data proves that the API key is valid.',
    resolve: async (_root, _args, { deps, caller }) =>
      representCredits(await deps.ledger.balance(caller.account.id, deps.now())),
  }),
  webhooks: t.field({
    type: [WebhookType],
    nullable: true,
    description: 'The registered endpoints of the account, the oldest first; there are at most 5.',
    resolve: (_root, _args, { deps, caller }) => deps.webhookEndpoints.list(caller.account.id),
  }),
  webhookDeliveries: t.field({
    type: WebhookDeliveryConnection,
    nullable: true,
    description: 'The log of deliveries, the newest first. BAD_USER_INPUT for a page that cannot be.',
    args: {
      ...pageArgs,
      webhookId: t.arg.id({ description: 'Only deliveries to this endpoint; also of one that has been deleted.' }),
    },
    resolve: async (_root, { webhookId, ...page }, { deps, caller }) => {
      const request = {
        ...pageRequest(page),
        ...(typeof webhookId === 'string' ? { endpointId: knownId('whk', webhookId) } : {}),
      };
      return await deps.deliveries.list(caller.account.id, request);
    },
  }),
  apiKeys: t.field({
    type: [ApiKeyType],
    nullable: true,
    description: 'The API keys of the account, the oldest first; there are at most 100.',
    resolve: (_root, _args, { deps, caller }) => deps.apiKeys.list(caller.account.id),
  }),
  version: t.field({
    type: Version,
    nullable: true,
    description: 'Versions of this instance.',
    resolve: (_root, _args, { deps: { version, engineVersion } }) => ({ version, engineVersion }),
  }),
}));
