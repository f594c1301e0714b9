import type { Stores } from '../../database/stores.ts';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Suspects } from './suspects.ts';

export interface ReconcileDeps extends Pick<
  Stores,
  | 'uploads'
  | 'enhancements'
  | 'reconciliation'
  | 'batches'
  | 'accounts'
  | 'uploadStarts'
  | 'stagedFiles'
  | 'ledger'
  | 'steps'
  | 'deliveries'
  | 'hostedSlots'
  | 'leases'
  | 'deletion'
  | 'audit'
> {
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
