import { CancellationScope, setHandler, workflowInfo } from '@temporalio/workflow';
import { findUploadEvent, mediaKind, shownStatus, type Upload } from '@burnish/contract';
import { uploadState } from '../../domain/temporal/workflow-interface.ts';
import {
  fileNameAttribute,
  listedFileName,
  statusAttribute,
  typeAttribute,
} from '../../domain/temporal/search-attributes.ts';
import { recordUpload } from '../activities.ts';
import { createNotifications, eventSource, type Notifications } from '../delivery/notifications.ts';
import type { WaitNotice } from '../step.ts';
import { createShownAttributes, type ShownAttributes } from './shown-attributes.ts';
import { createTimeline, type Timeline } from '../timeline.ts';
import type { SourceFile } from '../../activities/inputs/schemas.ts';

/** State of one upload. Only this tracker changes it. */
export interface UploadTracker {
  readonly state: Upload;
  readonly timeline: Timeline;
  readonly notifications: Notifications;
  /** Changes the state, and writes the record and its event in one step. Any change clears `waitingFor`. */
  move(changes: Partial<Upload>, sentence: string): Promise<void>;
  readonly waits: WaitNotice;
  readonly shown: ShownAttributes;
}

export function trackUpload(initial: Upload, timelineSoFar: readonly string[]): UploadTracker {
  const state: Upload = { ...initial };
  const timeline = createTimeline(timelineSoFar);
  const notifications = createNotifications(state.accountId, state.id);
  const shown = createShownAttributes();
  const hasFileName = workflowInfo().typedSearchAttributes.get(fileNameAttribute) !== undefined;
  shown.carry(state.id, state.waitingFor);
  setHandler(uploadState, () => state);

  async function move(changes: Partial<Upload>, sentence: string): Promise<void> {
    const before = { ...state };
    Object.assign(state, { waitingFor: null }, changes);
    state.revision += 1;
    timeline.say(sentence);
    const { id, waitingFor, errorCode, originalFilename } = state;
    const attributes = [
      ...(shownStatus(state) === shownStatus(before)
        ? []
        : [
            { key: statusAttribute, value: shownStatus(state) },
            { key: typeAttribute, value: state.file === null ? 'unknown' : mediaKind(state.file.mimetype) },
          ]),
      ...(hasFileName && originalFilename !== before.originalFilename
        ? [{ key: fileNameAttribute, value: listedFileName(originalFilename) }]
        : []),
    ];
    shown.change(id, { attributes, waitingFor, errorCode: errorCode === before.errorCode ? null : errorCode });
    const upload = { ...state };
    const event = findUploadEvent(before, upload);
    if (event === undefined) {
      await recordUpload({ upload, sentence, announce: null });
      return;
    }
    const eventKey = `revision-${upload.revision}`;
    const created = new Date().toISOString();
    const { webhookUrl } = upload;
    const deliveries = await CancellationScope.nonCancellable(() =>
      recordUpload({
        upload,
        sentence,
        announce: { kind: event, source: eventSource(), eventKey, created, webhookUrl },
      }),
    );
    notifications.send(deliveries, event);
  }

  return {
    state,
    timeline,
    notifications,
    move,
    shown,
    waits: (machinery, sentence) => move({ waitingFor: machinery }, sentence),
  };
}

export function toSourceFile({ id, objectKey, originalFilename, file, provider }: Upload): SourceFile {
  if (objectKey === null || file === null) throw new TypeError('An upload that is worked on has a file.');
  const { mimetype, size, sha256 } = file;
  const source = { uploadId: id, objectKey, mimetype, originalFilename, size, sha256 };
  return provider === 'test' ? { ...source, provider } : source;
}
