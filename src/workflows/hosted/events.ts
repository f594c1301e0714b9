import { setHandler } from '@temporalio/workflow';
import { hostedEvent } from '../../domain/temporal/workflow-interface.ts';

/** Counts what has happened since the workflow began; a rise says: look again. */
export type WakeUps = () => number;

export interface HostedEvents {
  /** All events about the upload and its enhancements */
  all: WakeUps;
  /** Those that are, or may be, about one enhancement */
  about(enhancementId: string): WakeUps;
}

/**
 * Listens from the first moment on. An event only wakes: what it says is never believed, so it may be forged, doubled,
 * late or early, and costs one read.
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
