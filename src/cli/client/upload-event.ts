import type { EnhancementProgress } from '../../domain/enhancement/enhancement.ts';
import type { EnhancementRepresentation } from '../../domain/representations/enhancement.ts';
import type { UploadRepresentation } from '../../domain/representations/upload.ts';

/** What an event stream tells, in the order in which it happened. */
export type UploadEvent =
  | { kind: 'upload'; upload: UploadRepresentation }
  | { kind: 'enhancement'; enhancement: EnhancementRepresentation }
  | ({ kind: 'progress'; enhancementId: string } & EnhancementProgress);
