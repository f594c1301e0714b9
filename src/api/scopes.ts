import { SCOPES } from '../domain/accounts/scopes.ts';
import type { Scope } from '../domain/accounts/scopes.ts';
import { Failure } from '../domain/failures.ts';
import type { Caller } from './commands/command-types.ts';

/** The scope of each operation of the REST interface, by its `operationId`. One that is missing here ends the start. */
const REST: Record<Scope, readonly string[]> = {
  read: [
    'listUploads',
    'getUpload',
    'followUpload',
    'readTimeline',
    'listEnhancements',
    'getEnhancement',
    'previewUpload',
    'previewEnhancement',
    'listPdfImages',
    'listEnhancedPdfImages',
    'previewPdfImage',
    'previewEnhancedPdfImage',
    'getCredits',
    'listCreditEntries',
    'getSettings',
    'getVersion',
  ],
  uploads: [
    'createUpload',
    'createSignedUpload',
    'completeSignedUpload',
    'deleteUpload',
    'deleteUploads',
    'analyzeAgain',
    'requestEnhancement',
    'approveEnhancement',
    'rejectEnhancement',
    'cancelEnhancement',
  ],
  webhooks: [
    'createWebhook',
    'listWebhooks',
    'getWebhook',
    'deleteWebhook',
    'rotateWebhookSecret',
    'testWebhook',
    'listWebhookDeliveries',
    'getWebhookDelivery',
    'redeliverWebhook',
  ],
  keys: ['createApiKey', 'listApiKeys', 'getApiKey', 'deleteApiKey'],
  admin: ['updateSettings', 'listAuditEntries'],
};

/** The same for the fields of `Query` and `Mutation`. */
const GRAPHQL: Record<Scope, readonly string[]> = {
  read: ['upload', 'uploads', 'enhancedImage', 'enhancedImages', 'credits', 'version'],
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

const LISTS = { REST, GRAPHQL };

/** The scope that an operation needs. @throws Error for one that nobody has given a scope */
export function scopeOf(kind: keyof typeof LISTS, operation: string): Scope {
  const scope = SCOPES.find((each) => LISTS[kind][each].includes(operation));
  if (scope === undefined) throw new Error(`The operation ${operation} needs a scope in src/api/scopes.ts.`);
  return scope;
}

/** @throws Failure FORBIDDEN */
export function assertScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (scopes.includes(scope)) return;
  const detail = `This needs an API key with the scope ${scope}; the scopes of this one are: ${scopes.join(', ')}.`;
  throw new Failure('FORBIDDEN', { detail });
}
