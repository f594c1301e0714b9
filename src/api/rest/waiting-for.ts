import { z } from 'zod';
import type { Enhancement } from '../../domain/enhancement.ts';
import { WAITING_FOR } from '../../domain/waiting-for.ts';
import type { WaitingFor } from '../../domain/waiting-for.ts';

export const waitingFor = z.enum(WAITING_FOR).nullable().meta({
  id: 'WaitingFor',
  description:
    'What it waits for: a part of the machinery, the hosted service, credits or an approval. Null while it goes on, and once it has ended.',
});

/** Some states are a wait themselves. */
export function waitOf({ status, waitingFor }: Enhancement): WaitingFor | null {
  if (status === 'AWAITING_CREDITS') return 'credits';
  return status === 'AWAITING_APPROVAL' ? 'approval' : waitingFor;
}
