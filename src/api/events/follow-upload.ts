import type { Enhancement, Upload } from '@burnish/contract';
import { isSettled } from '../changes/settled.ts';
import type { Change, Changes } from '../../database/changes.ts';
import { representEnhancement } from '../enhancements/enhancement-schemas.ts';
import { representUpload } from '../uploads/upload-schemas.ts';
import { createNotifier } from '../changes/notifier.ts';
import type { EventWriter } from './event-writer.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { ChangeFanout } from '../changes/change-fanout.ts';
import type { ProgressWatch } from '../changes/progress-watch.ts';
import type { FileUrls } from '../files/file-urls.ts';

export interface FollowNeeds {
  uploads: Uploads;
  changes: Changes;
  fanout: ChangeFanout;
  progress: ProgressWatch;
  urls: FileUrls;
}

const BATCH = 50;

export interface Following {
  upload: Pick<Upload, 'id' | 'accountId'>;
  /** Number of the last change that the reader has received; 0 for none */
  after: number;
  untilSettled: boolean;
  /**
   * Aborted when the gateway closes, so that the reader reconnects to another gateway, or when the reader loses
   * access
   */
  closing: AbortSignal;
}

/** Sends past and new events of an upload in order, until it is deleted or, on request, settled. */
export async function followUpload(deps: FollowNeeds, writer: EventWriter, following: Following): Promise<void> {
  const { upload, untilSettled, closing } = following;
  const stopped = AbortSignal.any([writer.closed, closing]);
  const notifier = createNotifier(stopped);
  const unsubscribe = deps.fanout.subscribe(upload.id, notifier.notify);
  const watching = new Map<string, () => void>();
  const known = createKnowledge(deps, upload);
  let { after } = following;

  function watch({ id, uploadId, status }: Enhancement): void {
    if (status === 'PROCESSING' && !watching.has(id)) {
      watching.set(
        id,
        deps.progress.subscribe({ id, uploadId }, (progress) =>
          writer.offer({ event: 'progress', data: { enhancementId: id, ...progress } }),
        ),
      );
    } else if (status !== 'PROCESSING') {
      watching.get(id)?.();
      watching.delete(id);
    }
  }

  async function tell(change: Change): Promise<void> {
    const { seq: id, subject } = change;
    after = id;
    known.learn(change);
    if (subject === 'enhancement') watch(change.snapshot);
    const data =
      subject === 'upload'
        ? representUpload(change.snapshot, deps.urls)
        : representEnhancement(change.snapshot, deps.urls);
    await writer.send({ id, event: subject, data });
  }

  try {
    // Reads the state before the changes, so that no change before this state is missed. Later changes update it.
    await known.read();
    known.enhancements().forEach(watch);
    while (!stopped.aborted) {
      notifier.reset();
      let batch: Change[];
      do {
        batch = await deps.changes.listSince(upload.accountId, upload.id, after, BATCH);
        for (const change of batch) if (!stopped.aborted) await tell(change);
      } while (batch.length === BATCH && !stopped.aborted);
      const state = known.state(untilSettled);
      if (state !== 'open') {
        await writer.send({ event: 'end', data: { reason: state } });
        return;
      }
      await notifier.notified();
    }
  } finally {
    unsubscribe();
    watching.forEach((stop) => stop());
    writer.end();
  }
}

function createKnowledge({ uploads }: FollowNeeds, { accountId, id }: Following['upload']) {
  let upload: Upload | undefined;
  const byId = new Map<string, Enhancement>();
  return {
    async read(): Promise<void> {
      const found = await uploads.getWithEnhancements(accountId, id);
      upload = found?.upload;
      for (const each of found?.enhancements ?? []) byId.set(each.id, each);
    },
    /** Ignores a change that is older than the state. */
    learn(change: Change): void {
      if (change.subject === 'upload') {
        if (change.revision >= (upload?.revision ?? 0)) upload = change.snapshot;
      } else if (change.revision >= (byId.get(change.subjectId)?.revision ?? 0)) {
        byId.set(change.subjectId, change.snapshot);
      }
    },
    enhancements: (): Enhancement[] => [...byId.values()],
    state(untilSettled: boolean): 'open' | 'settled' | 'deleted' {
      if (upload === undefined || upload.status === 'UPLOAD_DELETED') return 'deleted';
      return untilSettled && isSettled(upload, [...byId.values()]) ? 'settled' : 'open';
    },
  };
}
