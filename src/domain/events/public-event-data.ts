import { processingTime, storageFilename, type Upload } from '../upload/upload.ts';
import type { EventKind } from './events.ts';

/** Data of events: Burnish's own, or that of the public service, whose clients switch by URL and key. */
export type WebhookFormat = 'BURNISH' | 'PUBLIC';

/** The events that the public service has. */
const PUBLIC_KINDS: readonly EventKind[] = ['upload.status_update', 'upload.sub_status_update'];

/** Data of an event about an upload for receivers of the format PUBLIC: exactly these 11 fields. @returns null for other kinds */
export function publicEventData(kind: EventKind, upload: Upload): Record<string, unknown> | null {
  if (!PUBLIC_KINDS.includes(kind)) return null;
  const { id, status, subStatus, file, originalFilename, startedAt, finishedAt, analysis } = upload;
  return {
    id,
    status,
    subStatus,
    filesize: file?.size ?? null,
    mimetype: file?.mimetype ?? null,
    originalFilename,
    filename: storageFilename(upload),
    startedAt,
    finishedAt,
    duration: processingTime(upload),
    metadata: analysis,
  };
}
