import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { WaitingFor } from '../../domain/machinery.ts';
import type { WorkersAway } from '../health/workers-watch.ts';

/** Returns what an enhancement waits for, by its state and by the workers that do not answer. */
export function enhancementWait({ status, waitingFor }: Enhancement, away: WorkersAway): WaitingFor | null {
  if (status === 'AWAITING_CREDITS') return 'credits';
  if (status === 'AWAITING_APPROVAL') return 'approval';
  const open = status === 'QUEUED' || status === 'PROCESSING';
  return waitingFor ?? (open && (away.main || away.engine) ? 'worker' : null);
}
