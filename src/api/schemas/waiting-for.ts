import { z } from 'zod';
import type { Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import { WAITING_FOR } from '../../domain/upload/waiting-for.ts';
import type { WaitingFor } from '../../domain/upload/waiting-for.ts';
import type { WorkersAway } from '../health/workers-watch.ts';

export const waitingFor = z.enum(WAITING_FOR).nullable().meta({
  id: 'WaitingFor',
  description:
    'What it waits for: a part of the machinery, the hosted service, credits or an approval. Null while it goes on, and once it has ended.',
});

/** Some states are a wait themselves; work that nobody is there to do waits for a worker. */
export function enhancementWait({ status, waitingFor }: Enhancement, away: WorkersAway): WaitingFor | null {
  if (status === 'AWAITING_CREDITS') return 'credits';
  if (status === 'AWAITING_APPROVAL') return 'approval';
  const open = status === 'QUEUED' || status === 'PROCESSING';
  return waitingFor ?? (open && (away.main || away.engine) ? 'worker' : null);
}

/** An upload needs a worker while it is received, and one for CPU work while a PDF is analysed. */
export function uploadWait({ status, subStatus, waitingFor }: Upload, away: WorkersAway): WaitingFor | null {
  const received = status === 'UPLOAD_PROCESSING' && away.main;
  const analyzed = subStatus === 'METADATA_ANALYZING' && status !== 'UPLOAD_DELETED' && (away.main || away.engine);
  return waitingFor ?? (received || analyzed ? 'worker' : null);
}
