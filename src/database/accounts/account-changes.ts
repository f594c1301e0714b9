import { createAccounts, type Accounts } from './accounts.ts';
import { createAccountDeletion, type AccountDeletion } from './account-deletion.ts';
import { createPlans, type Plans } from './plans.ts';
import { createApiKeys, type ApiKeys } from './api-keys.ts';
import { createLooks, type Looks } from './looks.ts';
import { createPresets, type Presets } from './presets.ts';
import { createAuditLog, type AuditLog } from './audit-log.ts';
import { createBuckets, type Buckets } from './buckets.ts';
import { createNexusEndpoints, type NexusEndpoints } from './nexus-endpoints.ts';
import type { Database } from '../database.ts';
import { createIdempotencyKeys, type IdempotencyClaim } from '../uploads/idempotency-keys.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { createWebhookEndpoints, type WebhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** The records of an account that a change may write, all within one transaction. */
export interface AccountRecords {
  accounts: Accounts;
  plans: Plans;
  deletion: AccountDeletion;
  apiKeys: ApiKeys;
  webhookEndpoints: WebhookEndpoints;
  looks: Looks;
  presets: Presets;
  buckets: Buckets;
  nexusEndpoints: NexusEndpoints;
  audit: AuditLog;
}

/** `same`: an equal request with this key was carried out before. `different`: the key belongs to another request. */
export type ChangeOutcome<T> = { outcome: 'new'; value: T } | { outcome: 'same' | 'different'; subjectId: string };

export type AccountChanges = ReturnType<typeof createAccountChanges>;

export function createAccountChanges({ orm }: Database, vault: Vault, now: () => number = Date.now) {
  return {
    /**
     * Claims an idempotency key and carries out a change in one transaction. A crash leaves both or neither.
     * @param claim null for a request without a key
     * @param change returns its result and the id that a repetition gets
     */
    carryOut<T>(
      claim: Omit<IdempotencyClaim, 'subjectId'> | null,
      change: (records: AccountRecords) => Promise<{ subjectId: string; value: T }>,
    ): Promise<ChangeOutcome<T>> {
      return orm.transaction(async (tx) => {
        const part = { orm: tx };
        const keys = createIdempotencyKeys(part, now);
        if (claim !== null) {
          const known = await keys.claim({ ...claim, subjectId: '' });
          if (known.outcome !== 'new') return { outcome: known.outcome, subjectId: known.subjectId };
        }
        const { subjectId, value } = await change({
          accounts: createAccounts(part, vault, now),
          plans: createPlans(part),
          deletion: createAccountDeletion(part),
          apiKeys: createApiKeys(part, now),
          webhookEndpoints: createWebhookEndpoints(part, vault, now),
          looks: createLooks(part, now),
          presets: createPresets(part, now),
          buckets: createBuckets(part, vault, now),
          nexusEndpoints: createNexusEndpoints(part, now),
          audit: createAuditLog(part, now),
        });
        if (claim !== null) await keys.settle(claim, subjectId);
        return { outcome: 'new', value };
      });
    },
  };
}
