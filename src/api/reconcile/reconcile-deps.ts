import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { AccountDeletion } from '../../database/accounts/account-deletion.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { Batches } from '../../database/batches/batches.ts';
import type { CreditLedger } from '../../database/credits/credit-ledger.ts';
import type { Leases } from '../../database/leases.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { LifecycleSteps } from '../../database/uploads/lifecycle-steps.ts';
import type { Reconciliation } from '../../database/uploads/reconciliation.ts';
import type { StagedFiles, UploadStarts } from '../../database/uploads/upload-starts.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Suspects } from './suspects.ts';

export interface ReconcileDeps {
  client: TemporalClient & { workflow: Pick<Client['workflow'], 'list'> };
  uploads: Pick<Uploads, 'find' | 'project'>;
  enhancements: Pick<Enhancements, 'listForUpload' | 'project'>;
  reconciliation: Reconciliation;
  batches: Pick<Batches, 'get' | 'listOpen'>;
  accounts: Pick<Accounts, 'getPlanOfAccount'>;
  uploadStarts: Pick<UploadStarts, 'inputs' | 'refuse' | 'refusedBefore' | 'withdraw'>;
  stagedFiles: Pick<StagedFiles, 'add' | 'remove'>;
  ledger: Pick<CreditLedger, 'release'>;
  steps: Pick<LifecycleSteps, 'recordUpload' | 'recordEnhancement'>;
  deliveries: Pick<Deliveries, 'attempts' | 'get' | 'holdLost' | 'recordEvent' | 'unsentNotices'>;
  storage: Pick<ObjectStore, 'head' | 'get' | 'put' | 'deletePrefix'>;
  leases: Leases;
  suspects: Suspects;
  deletion: Pick<AccountDeletion, 'open' | 'uploadsLeft' | 'finish'>;
  audit: Pick<AuditLog, 'record' | 'subjectsOf'>;
  /** Null without a hosted service */
  hosted: { policy: HostedPolicy } | null;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds since the epoch */
  now: () => number;
}
