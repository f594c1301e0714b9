import { parse } from 'content-disposition';
import { sanitizeFilename } from '../domain/upload/filenames.ts';

const MAX_HEADER_LENGTH = 2000;

export function answerFilename(contentDisposition: string | undefined, url: URL): string {
  return (
    declaredFilename(contentDisposition) ??
    sanitizeFilename(decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))) ??
    'file'
  );
}

/** The file name in `Content-Disposition`, sanitized for display; null without one. */
export function declaredFilename(contentDisposition: string | undefined): string | null {
  return sanitizeFilename(declaredName(contentDisposition) ?? '') ?? null;
}

function declaredName(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  try {
    return parse(header).parameters['filename'];
  } catch {
    return undefined;
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
