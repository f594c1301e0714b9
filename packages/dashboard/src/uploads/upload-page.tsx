import { useLocation, useRoute } from 'preact-iso';
import { useState, useEffect } from 'preact/hooks';
import { sameOrigin } from '@burnish/client';
import { uploadWorkflowUrl } from '@burnish/contract';
import type { UploadWithEnhancements, TimelineEntry } from '../api/types.ts';
import { EnhanceAgain } from '../enhance/enhance-again.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { ExplanationNotice } from '../ui/explanation-notice.tsx';
import { NotLoaded, LoadedList } from '../ui/loaded.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { DeleteUploads } from './delete-uploads.tsx';
import { EnhancementView } from './enhancement-view.tsx';
import { type LiveUpload, watchUpload } from './live-upload.ts';
import { PdfAnalysis } from './pdf-analysis.tsx';
import { UploadFacts } from './upload-facts.tsx';
import './uploads.css';
import { session } from '../session/session.ts';
import { useListing } from '../api/use-listing.ts';
import { Time } from '../ui/time.tsx';

export function UploadPage() {
  const live = useLiveUpload(useRoute().params['id'] ?? '');
  const upload = live?.upload.value;
  const error = live?.error.value;
  if (live !== undefined && upload !== undefined) return <Known live={live} upload={upload} error={error} />;
  return (
    <>
      <PageHeader title="Upload" />
      <NotLoaded
        resource={{ error, reload: live?.refresh }}
        missing={
          <Empty icon="images" title="Upload not found">
            <a href="/uploads">All uploads</a>
          </Empty>
        }
      />
    </>
  );
}

function Known({ live, upload, error }: { live: LiveUpload; upload: UploadWithEnhancements; error: unknown }) {
  const { route } = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const { status, url } = upload;
  const isThere = status !== 'UPLOAD_DELETED';
  const newest = upload.enhancements.toReversed();
  // Whenever this changes, there is something new in the timeline.
  const news = [status, upload.subStatus, ...newest.map((each) => each.status)].join(' ');
  return (
    <>
      <PageHeader title={upload.originalFilename} lead={<a href="/uploads">All uploads</a>}>
        {url !== null && (
          <a class="button" href={sameOrigin(url)} download={upload.originalFilename}>
            <Icon name="download" size={18} /> Original
          </a>
        )}
        {status === 'UPLOAD_FINISHED' && (
          <a class="button" href={`/v1/uploads/${upload.id}/report.pdf`} target="_blank" rel="noreferrer">
            Preflight
          </a>
        )}
        {isThere && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )}
      </PageHeader>
      <Trouble error={error} retry={live.refresh} />
      <div class="upload-page">
        <div class="upload-works">
          {upload.subStatus !== 'METADATA_ANALYZED_FAILED' && <ExplanationNotice record={upload} />}
          {upload.mimetype === 'application/pdf' && isThere && status !== 'UPLOAD_FAILED' && (
            <section class="card" aria-label="Analysis">
              <h2>Contents</h2>
              <PdfAnalysis upload={upload} onChange={live.refresh} />
            </section>
          )}
          {status === 'UPLOAD_FINISHED' && <EnhanceAgain upload={upload} onOrdered={live.refresh} />}
          {newest.length > 0 && <h2 class="sr-only">Enhancements</h2>}
          {newest.map((enhancement) => (
            <section class="card" key={enhancement.id} aria-label="Enhancement">
              <EnhancementView
                upload={upload}
                enhancement={enhancement}
                progress={live.progress.value[enhancement.id]}
                onChange={live.refresh}
              />
            </section>
          ))}
        </div>
        <aside class="upload-side" aria-label="About this upload">
          <section class="card">
            <h2>Facts</h2>
            <UploadFacts upload={upload} />
          </section>
          <section class="card">
            <div class="card-head">
              <h2>Timeline</h2>
              <TemporalLink uploadId={upload.id} />
            </div>
            <Timeline uploadId={upload.id} news={news} />
          </section>
        </aside>
      </div>
      {isDeleting && (
        <DeleteUploads uploads={[upload]} onClose={() => setDeleting(false)} onDeleted={() => route('/uploads')} />
      )}
    </>
  );
}

/** Watches an upload while the component is mounted. Undefined before the first read. */
function useLiveUpload(id: string): LiveUpload | undefined {
  const [live, setLive] = useState<LiveUpload>();
  useEffect(() => {
    const made = watchUpload(id);
    setLive(made);
    return () => made.close();
  }, [id]);
  return live?.id === id ? live : undefined;
}

function TemporalLink({ uploadId }: { uploadId: string }) {
  const temporal = session.value?.temporalUi;
  if (!temporal) return null;
  return (
    <a class="temporal-link small" href={uploadWorkflowUrl(temporal, uploadId)} target="_blank" rel="noopener">
      Workflow <Icon name="external" size={14} />
      <span class="sr-only">in the Temporal Web UI, in a new tab</span>
    </a>
  );
}

/** Marks in a file's name that would turn the rest of its sentence around (UAX #9). */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

function Timeline({ uploadId, news }: { uploadId: string; news: string }) {
  const list = useListing<TimelineEntry>(`/v1/uploads/${uploadId}/timeline?limit=100`);
  useEffect(() => list.reload(), [news]);
  return (
    <LoadedList list={list} empty={<p class="soft">The timeline has been deleted.</p>} more="Later changes">
      {(items) => (
        <ol class="timeline">
          {items.map((entry, index) => (
            <li key={`${entry.id} ${index}`} class={entry.subject}>
              <Time at={entry.at} exact />
              <span>{entry.sentence.replace(TURNS, '')}</span>
            </li>
          ))}
        </ol>
      )}
    </LoadedList>
  );
}
