import type { BatchPauseReason, BatchStatus } from '@burnish/contract';
import type { Batch, BatchItem } from '../api/types.ts';
import type { StateWords } from '../uploads/words.ts';

const STATES: Record<Exclude<BatchStatus, 'PAUSED'>, StateWords> = {
  COLLECTING: { label: 'Receiving files', tone: 'busy' },
  SAMPLING: { label: 'Processing samples', tone: 'busy' },
  APPROVAL_NEEDED: { label: 'Waiting for your approval', tone: 'warning' },
  RUNNING: { label: 'Processing', tone: 'busy' },
  CANCELLING: { label: 'Cancelling', tone: 'busy' },
  CANCELLED: { label: 'Cancelled', tone: 'neutral' },
  FINISHED: { label: 'Finished', tone: 'good' },
};

const PAUSES: Record<BatchPauseReason, string> = {
  request: 'Paused',
  budget: 'Paused: budget used',
  credits: 'Paused: too few credits',
};

export const ITEM_STATES: Record<BatchItem['state'], StateWords> = {
  PENDING: { label: 'Pending', tone: 'neutral' },
  RUNNING: { label: 'Running', tone: 'busy' },
  FINISHED: { label: 'Finished', tone: 'good' },
  FAILED: { label: 'Failed', tone: 'bad' },
  CANCELLED: { label: 'Cancelled', tone: 'neutral' },
};

export function batchState({ status, pauseReason }: Pick<Batch, 'status' | 'pauseReason'>): StateWords {
  return status === 'PAUSED' ? { label: PAUSES[pauseReason ?? 'request'], tone: 'warning' } : STATES[status];
}

export const batchName = ({ id, reference }: Pick<Batch, 'id' | 'reference'>): string => reference ?? id;
