import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import type { EnhancementRepresentation } from '../enhancements/enhancement-schemas.ts';
import type { UploadRepresentation } from '../uploads/upload-schemas.ts';
import type { ApiKey } from '../../database/accounts/api-keys.ts';
import type { WebhookEndpoint } from '../../database/webhooks/webhook-endpoints.ts';
import { builder } from './builder.ts';
import { PUBLIC_SERVICE } from './public-service.ts';

/*
 * Names and values of the record types. The values are the bodies of the REST interface, so that both interfaces
 * agree. Each resource implements its own types; this file connects types that refer to each other.
 */

export const UploadType = builder.objectRef<UploadRepresentation>('Upload');
export const EnhancedImageType = builder.objectRef<EnhancementRepresentation>('EnhancedImage');
export const WebhookType = builder.objectRef<WebhookEndpoint>('Webhook');
export const WebhookDeliveryType = builder.objectRef<LoggedDelivery>('WebhookDelivery');
export const ApiKeyType = builder.objectRef<ApiKey>('ApiKey');

export const DeletePayload = builder.objectRef<{ id: string }>('DeletePayload').implement({
  description: 'A deleted record.',
  fields: (t) => ({
    deletedId: t.exposeID('id', { description: 'Id of the deleted record.' }),
    success: t.boolean({ description: `${PUBLIC_SERVICE} always true. A failure is an error.`, resolve: () => true }),
  }),
});
