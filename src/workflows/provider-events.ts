import { setHandler } from '@temporalio/workflow';
import { providerEvent } from '../domain/messages.ts';

/** Counts what has happened at the hosted service since the workflow began; a rise says: look again. */
export type WakeUps = () => number;

/**
 * Listens from the first moment on. An event only wakes: what it says is never believed, so it may be forged, doubled,
 * late or early, and costs one read.
 */
export function listenForProviderEvents(): WakeUps {
  let events = 0;
  setHandler(providerEvent, () => {
    events += 1;
  });
  return () => events;
}
