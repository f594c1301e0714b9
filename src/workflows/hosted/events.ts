import { setHandler } from '@temporalio/workflow';
import { hostedEvent } from '../../domain/temporal/workflow-interface.ts';

/** Number of events since the workflow began. A higher number tells the reader to poll again. */
export type WakeUps = () => number;

export interface HostedEvents {
  /** All events about the upload and its enhancements */
  all: WakeUps;
  /** Events that are, or may be, about one enhancement */
  about(enhancementId: string): WakeUps;
}

/**
 * Handlers exist from the first workflow task. An event only wakes the workflow, which then polls the service. Forged,
 * repeated, late or early events therefore do no harm, and cost one read.
 */
export function listenForHostedEvents(): HostedEvents {
  let events = 0;
  let unspecific = 0;
  const specific = new Map<string, number>();
  setHandler(hostedEvent, ({ enhancementId }) => {
    events += 1;
    if (enhancementId === undefined) unspecific += 1;
    else specific.set(enhancementId, (specific.get(enhancementId) ?? 0) + 1);
  });
  return {
    all: () => events,
    about: (enhancementId) => () => unspecific + (specific.get(enhancementId) ?? 0),
  };
}
