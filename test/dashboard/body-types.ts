import type { z } from 'zod';
import type { apiKeySchema, apiKeyWithSecretSchema } from '../../src/api/rest/api-keys.ts';
import type { creditsSchema, ledgerEntrySchema } from '../../src/api/rest/credits.ts';
import type { EnhancementBody, uploadWithEnhancementsSchema, UploadBody } from '../../src/api/rest/representations.ts';
import type { settingsSchema } from '../../src/api/rest/settings.ts';
import type { deliverySchema } from '../../src/api/rest/webhook-deliveries.ts';
import type { webhookSchema, webhookWithSecretSchema } from '../../src/api/rest/webhooks.ts';
import type * as page from '../../src/dashboard/api/types.ts';

/** Compiles where what is sent has all that is read. */
type Sent<Read, Body extends Read> = Body;

/** Every body that the pages read, against the interface's own schema: one that changes fails `npm run types`. */
export type Bodies = [
  Sent<page.Upload, UploadBody>,
  Sent<page.UploadWithEnhancements, z.infer<typeof uploadWithEnhancementsSchema>>,
  Sent<page.Enhancement, EnhancementBody>,
  Sent<page.ApiKey, z.infer<typeof apiKeySchema>>,
  Sent<page.ApiKeyWithSecret, z.infer<typeof apiKeyWithSecretSchema>>,
  Sent<page.Webhook, z.infer<typeof webhookSchema>>,
  Sent<page.WebhookWithSecret, z.infer<typeof webhookWithSecretSchema>>,
  Sent<page.WebhookDelivery, z.infer<typeof deliverySchema>>,
  Sent<page.Credits, z.infer<typeof creditsSchema>>,
  Sent<page.LedgerEntry, z.infer<typeof ledgerEntrySchema>>,
  Sent<page.Settings, z.infer<typeof settingsSchema>>,
];
