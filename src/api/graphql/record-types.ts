import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import type { UploadRepresentation } from '../../domain/representations/upload.ts';
import type { ApiKey, WebhookEndpoint } from '../ports.ts';
import { builder } from './builder.ts';

/*
 * The names of the records and what stands behind them: the bodies of the REST interface, so that both tell the same.
 * Types that refer to each other find each other here.
 */

export const UploadType = builder.objectRef<UploadRepresentation>('Upload');
export const EnhancedImageType = builder.objectRef<EnhancementRepresentation>('EnhancedImage');
export const WebhookType = builder.objectRef<WebhookEndpoint>('Webhook');
export const WebhookDeliveryType = builder.objectRef<LoggedDelivery>('WebhookDelivery');
export const ApiKeyType = builder.objectRef<ApiKey>('ApiKey');
