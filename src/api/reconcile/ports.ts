import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { OpenUpload } from '../../database/uploads/reconciliation.ts';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { WebhookEvent } from '../../domain/events/events.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-inputs.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { Accounts, TemporalClient } from '../ports.ts';
import type { Leases, UploadStarts } from '../start-ports.ts';

/** What it takes to bring records and workflows together again. */
export interface ReconcileDeps {
  client: TemporalClient & { workflow: Pick<Client['workflow'], 'list'> };
  uploads: {
    find(id: string): Promise<Upload | undefined>;
    project(upload: Upload, sentence?: string | null): Promise<unknown>;
  };
  enhancements: {
    listForUpload(accountId: string, uploadId: string): Promise<Enhancement[]>;
    project(enhancement: Enhancement, facts?: null, sentence?: string | null): Promise<unknown>;
  };
  reconciliation: {
    openUploads(afterId: string, limit: number): Promise<OpenUpload[]>;
    unknown(ids: readonly string[]): Promise<string[]>;
  };
  accounts: Accounts;
  uploadStarts: UploadStarts;
  ledger: { release(order: { accountId: string; enhancementId: string; nowMs: number }): Promise<unknown> };
  deliveries: {
    recordEvent(
      accountId: string,
      event: WebhookEvent,
      uploadWebhookUrl: string | null,
    ): Promise<{ id: string; url: string }[]>;
  };
  storage: Pick<ObjectStore, 'head' | 'deletePrefix'>;
  leases: Leases;
  /** Null where there is no hosted service */
  hosted: { policy: HostedPolicy } | null;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since the epoch */
  now: () => number;
}
