import type { SentEventKind } from '../../domain/events/events.ts';

/** What each kind of event tells, for people. */
export const EVENT_WORDS: Record<SentEventKind, string> = {
  'upload.status_update': 'An upload was received, or failed',
  'upload.sub_status_update': 'A PDF was analysed',
  'enhanced_image.status_update': 'An enhancement began, waits, finished or failed',
  'upload.deleted': 'An upload was deleted',
  'webhook.test': 'A test, on request',
};
