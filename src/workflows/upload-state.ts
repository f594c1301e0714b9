import { setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { deletionEventData, uploadEventData, type EventKind } from '../domain/events.ts';
import { mediaKind } from '../domain/media.ts';
import { uploadState } from '../domain/messages.ts';
import { statusAttribute, typeAttribute } from '../domain/search-attributes.ts';
import type { Upload } from '../domain/upload.ts';
import { recordUpload } from './activities.ts';
import { announce } from './announce.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** The state of one upload, and the only way to change it. */
export interface UploadTracker {
  readonly state: Upload;
  readonly timeline: Timeline;
  /** Changes the state, writes it where it can be read, and tells the receivers of webhooks what kind of change it was. */
  move(changes: Partial<Upload>, sentence: string, event?: EventKind): Promise<void>;
}

export function trackUpload(initial: Upload, timelineSoFar: readonly string[]): UploadTracker {
  const state: Upload = { ...initial };
  const timeline = createTimeline(timelineSoFar);
  setHandler(uploadState, () => state);

  return {
    state,
    timeline,
    async move(changes, sentence, event) {
      const shown = shownStatus(state);
      Object.assign(state, changes);
      state.revision += 1;
      timeline.say(sentence);
      if (shownStatus(state) !== shown) {
        upsertSearchAttributes([
          { key: statusAttribute, value: shownStatus(state) },
          { key: typeAttribute, value: state.file === null ? 'unknown' : mediaKind(state.file.mimetype) },
        ]);
      }
      const snapshot = { ...state };
      await recordUpload({ upload: snapshot, sentence });
      if (event !== undefined) {
        await announce({
          accountId: snapshot.accountId,
          kind: event,
          data: event === 'upload.deleted' ? deletionEventData(snapshot) : uploadEventData(snapshot),
          webhookUrl: snapshot.webhookUrl,
          occasion: `revision-${snapshot.revision}`,
        });
      }
    },
  };
}

/** The analysis of a PDF is the status that a person looks for once the upload itself is finished. */
function shownStatus({ status, subStatus }: Upload): string {
  return status === 'UPLOAD_FINISHED' && subStatus !== null ? subStatus : status;
}
