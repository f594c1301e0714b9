import type { LoggedDelivery } from '../../../domain/delivery.ts';
import type { ApiKey, WebhookEndpoint } from '../../ports.ts';
import type { EnhancementBody, UploadBody } from '../../rest/representations.ts';
import { builder } from '../builder.ts';

/*
 * The names of the records and what stands behind them: the bodies of the REST interface, so that both tell the same.
 * Types that refer to each other find each other here.
 */

export const UploadType = builder.objectRef<UploadBody>('Upload');
export const EnhancedImageType = builder.objectRef<EnhancementBody>('EnhancedImage');
export const WebhookType = builder.objectRef<WebhookEndpoint>('Webhook');
export const WebhookDeliveryType = builder.objectRef<LoggedDelivery>('WebhookDelivery');
export const ApiKeyType = builder.objectRef<ApiKey>('ApiKey');
