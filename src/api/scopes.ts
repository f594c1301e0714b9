import { SCOPES } from '../domain/accounts/scopes.ts';
import type { Scope } from '../domain/accounts/scopes.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from './commands/command-types.ts';

/** The scope of each field of `Query` and `Mutation`. A field that is missing here ends the start. */
const GRAPHQL: Record<Scope, readonly string[]> = {
  read: ['upload', 'uploads', 'enhancedImage', 'enhancedImages', 'enhancementEstimate', 'credits', 'version'],
  uploads: [
    'createUploadFromUrl',
    'createSignedUploadUrl',
    'completeSignedUpload',
    'analyzePdf',
    'deleteUploads',
    'createEnhancedImage',
    'approveEnhancement',
    'rejectEnhancement',
    'cancelEnhancement',
  ],
  webhooks: [
    'webhook',
    'webhooks',
    'webhookDeliveries',
    'createWebhook',
    'deleteWebhook',
    'rotateWebhookSecret',
    'redeliverWebhook',
    'testWebhook',
  ],
  keys: ['apiKeys', 'createApiKey', 'deleteApiKey'],
  admin: ['updateFileRetention'],
};

/** The scope that a GraphQL operation needs. @throws Error for a field without a scope */
export function scopeOfField(field: string): Scope {
  const scope = SCOPES.find((each) => GRAPHQL[each].includes(field));
  if (scope === undefined) throw new Error(`The GraphQL field ${field} needs a scope in src/api/scopes.ts.`);
  return scope;
}

/** @throws Failure FORBIDDEN */
export function assertScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (scopes.includes(scope)) return;
  const detail = `This needs an API key with the scope ${scope}; the scopes of this one are: ${scopes.join(', ')}.`;
  throw new Failure('FORBIDDEN', { detail });
}
