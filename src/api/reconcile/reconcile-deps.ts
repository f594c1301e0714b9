import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Suspects } from './suspects.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Reconciliation } from '../../database/uploads/reconciliation.ts';
import type { Batches } from '../../database/batches/batches.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { UploadStarts } from '../../database/uploads/upload-starts.ts';
import type { StagedFiles } from '../../database/uploads/staged-files.ts';
import type { CreditLedger } from '../../database/credits/credit-ledger.ts';
import type { LifecycleSteps } from '../../database/uploads/lifecycle-steps.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { HostedSlots } from '../../database/hosted/hosted-slots.ts';
import type { Leases } from '../../database/leases.ts';
import type { AccountDeletion } from '../../database/accounts/account-deletion.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';

export interface ReconcileDeps {
  uploads: Uploads;
  enhancements: Enhancements;
  reconciliation: Reconciliation;
  batches: Batches;
  accounts: Accounts;
  uploadStarts: UploadStarts;
  stagedFiles: StagedFiles;
  ledger: CreditLedger;
  steps: LifecycleSteps;
  deliveries: Deliveries;
  hostedSlots: HostedSlots;
  leases: Leases;
  deletion: AccountDeletion;
  audit: AuditLog;
  client: TemporalClient & { workflow: Pick<Client['workflow'], 'list'> };
  storage: Pick<ObjectStore, 'head' | 'get' | 'put' | 'deletePrefix'>;
  suspects: Suspects;
  /** Whether lists of workflows show file names */
  searchNames: boolean;
  /** Null without a hosted service */
  hosted: { policy: HostedPolicy; parallel: number } | null;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since the epoch */
  now: () => number;
  /** Milliseconds between the two looks of a comparison: longer than a step takes to write its record. 1,000 by default */
  stepMs?: number;
}
