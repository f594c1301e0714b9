import { counted, formatNumber, MEDIA_TYPES } from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { formatBytes, formatDay } from '../ui/format.ts';

const DAY_MS = 86_400_000;

export function describeFile({ mimetype, filesize, width, height, metadata }: Upload): string {
  const parts = [
    ...(mimetype === null
      ? []
      : [mimetype === 'application/pdf' ? 'PDF' : MEDIA_TYPES[mimetype].extension.toUpperCase()]),
    ...(width > 0 ? [`${formatNumber(width)} × ${formatNumber(height)}`] : []),
    ...(metadata === null
      ? []
      : [counted(metadata.statistics.pages, 'page'), counted(metadata.statistics.images, 'image')]),
    ...(filesize === null ? [] : [formatBytes(filesize)]),
  ];
  return parts.join(' · ');
}

/** The day an upload is deleted by itself, ISO 8601. */
export const deletionDay = ({ createdAt, retentionDays }: Upload): string =>
  new Date(Date.parse(createdAt) + retentionDays * DAY_MS).toISOString();

export const keptUntil = (upload: Upload): string =>
  upload.status === 'UPLOAD_DELETED' ? 'Deleted' : `Kept until ${formatDay(deletionDay(upload))}`;
