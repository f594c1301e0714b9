import type { z } from 'zod';
import type { WebhookEventData } from '@burnish/client';
import type { EVENT_DATA } from '../../src/api/openapi/event-data.ts';

/** Compiles where both are the same: each is assignable to the other. */
type Same<Body extends Documented, Documented extends SameBody, SameBody = Body> = [Body, Documented];

type EventData = { [Kind in keyof typeof EVENT_DATA]: z.infer<(typeof EVENT_DATA)[Kind]> };

/** The data of events as the client reads it, against the schemas that document it: one that changes alone fails `npm run types`. */
export type Events = [
  Same<WebhookEventData['upload.status_update'], EventData['upload.status_update']>,
  Same<WebhookEventData['upload.sub_status_update'], EventData['upload.sub_status_update']>,
  Same<WebhookEventData['enhanced_image.status_update'], EventData['enhanced_image.status_update']>,
  Same<WebhookEventData['credits.low'], EventData['credits.low']>,
  Same<WebhookEventData['webhook.disabled'], EventData['webhook.disabled']>,
  Same<WebhookEventData['upload.deleted'], EventData['upload.deleted']>,
  Same<WebhookEventData['batch.approval_needed'], EventData['batch.approval_needed']>,
  Same<WebhookEventData['batch.half_done'], EventData['batch.half_done']>,
  Same<WebhookEventData['batch.trouble'], EventData['batch.trouble']>,
  Same<WebhookEventData['batch.ended'], EventData['batch.ended']>,
  Same<WebhookEventData['webhook.test'], EventData['webhook.test']>,
];
