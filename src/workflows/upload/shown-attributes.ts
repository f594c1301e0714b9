import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import type { WaitingFor } from '@burnish/contract';
import { errorCodeAttribute, listedWait, waitingForAttribute } from '../../domain/temporal/search-attributes.ts';

/** What a step changes in the list of workflows. */
export interface ShownChange {
  /** Search attributes that only this step knows */
  attributes?: readonly SearchAttributeUpdatePair[];
  waitingFor: WaitingFor | null;
  /** A code that this step brought; null without one */
  errorCode: string | null;
}

/** The present waits and the newest error code of an upload with its enhancements, as the list of workflows shows them. */
export interface ShownAttributes {
  /** Adds the wait of an enhancement that an earlier run began, and that the list shows already. */
  carry(id: string, waitingFor: WaitingFor | null): void;
  /** Shows the changes of one step by one event, and by none if nothing changes. @param id of the upload or the enhancement */
  change(id: string, change: ShownChange): void;
}

/**
 * A workflow that 1.0.0-rc.2 started has no waits in the list, and its history has no event for them: it shows an error code beside
 * other attributes only.
 */
export function createShownAttributes(): ShownAttributes {
  // Continue-as-new preserves search attributes.
  const { typedSearchAttributes: given } = workflowInfo();
  let wait = given.get(waitingForAttribute);
  let code = given.get(errorCodeAttribute);
  const showsWaits = wait !== undefined;
  const waits = new Map<string, WaitingFor | null>();
  return {
    carry: (id, waitingFor) => void waits.set(id, waitingFor),
    change(id, { attributes = [], waitingFor, errorCode }) {
      const changed = [...attributes];
      waits.set(id, waitingFor);
      const present = listedWait(waits.values());
      if (showsWaits && present !== wait) {
        wait = present;
        changed.push({ key: waitingForAttribute, value: present });
      }
      if (errorCode !== null && errorCode !== code && (showsWaits || changed.length > 0)) {
        code = errorCode;
        changed.push({ key: errorCodeAttribute, value: errorCode });
      }
      if (changed.length > 0) upsertSearchAttributes(changed);
    },
  };
}
