import { useState } from 'preact/hooks';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { formatBytes } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Notice, Trouble } from '../ui/notice.tsx';
import { Progress } from '../ui/progress.tsx';
import type { UploadWithEnhancements } from '../api/types.ts';
import { EnhancementView, fileKind } from '../uploads/enhancement-view.tsx';
import { ExplanationNotice } from '../ui/explanation-notice.tsx';
import type { LiveUpload } from '../uploads/live-upload.ts';
import { PdfAnalysis } from '../uploads/pdf-analysis.tsx';
import { describeFile } from '../uploads/facts.ts';
import { Thumbnail } from '../uploads/thumbnail.tsx';
import { uploadState } from '../uploads/words.ts';
import { EnhanceAgain } from './enhance-again.tsx';
import type { Job } from './job.ts';
import { anchorOf, findUpload, removeJob } from './jobs.ts';
import { PdfSettings } from './pdf-settings.tsx';
import { TrialButton } from '../trial/trial-button.tsx';
import { imageSettings } from './order.ts';

export function JobCard({ job }: { job: Job }) {
  const upload = findUpload(job);
  return (
    <li class="card job" id={anchorOf(job)} tabIndex={-1} aria-label={job.name}>
      <header class="job-head">
        {upload !== undefined && job.picture === null ? <Thumbnail upload={upload} /> : <OwnPicture job={job} />}
        <div class="job-name">
          <h2>{upload === undefined ? job.name : <a href={`/uploads/${upload.id}`}>{upload.originalFilename}</a>}</h2>
          <p class="soft small">
            {(upload && describeFile(upload)) || (job.size === null ? '' : formatBytes(job.size))}
          </p>
        </div>
        <Button
          kind="quiet"
          icon="close"
          aria-label={`Remove ${job.name} from this page`}
          title="Remove it from this page; its upload stays under Uploads"
          onClick={() => removeJob(job)}
        />
      </header>
      <JobBody job={job} />
    </li>
  );
}

function OwnPicture({ job: { picture } }: { job: Job }) {
  const [failed, setFailed] = useState(false);
  return (
    <span class="thumbnail">
      {picture !== null && !failed ? (
        <img src={picture} alt="" onError={() => setFailed(true)} />
      ) : (
        <Icon name="file" size={26} />
      )}
    </span>
  );
}

function JobBody({ job }: { job: Job }) {
  const now = job.state.value;
  switch (now.at) {
    case 'checking':
    case 'waiting':
      return (
        <p class="soft small" role="status">
          Waiting to be sent …
        </p>
      );
    case 'refused':
      return <Notice kind="bad">{now.why}</Notice>;
    case 'sending':
      return (
        <div class="at-work">
          <Progress label={`Sending ${job.name}`} value={now.fraction} />
          <p class="small soft">Sending · {Math.floor(now.fraction * 100)} %</p>
        </div>
      );
    case 'failed':
      return <Trouble error={now.error} retry={job.retry} />;
    case 'sent':
      return <Sent job={job} live={now.live} />;
  }
}

function Sent({ job, live }: { job: Job; live: LiveUpload }) {
  const upload = live.upload.value;
  const error = live.error.value;
  if (upload === undefined) {
    return error === undefined ? (
      <Progress label={`Reading ${job.name}`} />
    ) : (
      <Trouble error={error} retry={live.refresh} />
    );
  }
  const newest = upload.enhancements.slice(job.known).at(-1);
  return (
    <>
      <Trouble error={error} retry={live.refresh} />
      <Trouble error={job.trouble.value} />
      {newest === undefined ? (
        <Untouched job={job} live={live} upload={upload} />
      ) : (
        <>
          <EnhancementView
            key={newest.id}
            upload={upload}
            enhancement={newest}
            progress={live.progress.value[newest.id]}
            onChange={live.refresh}
          />
          {['FINISHED', 'ERROR', 'CANCELLED'].includes(newest.status) && (
            <EnhanceAgain upload={upload} onOrdered={live.refresh} />
          )}
        </>
      )}
    </>
  );
}

function Untouched({ job, live, upload }: { job: Job; live: LiveUpload; upload: UploadWithEnhancements }) {
  const state = uploadState(upload);
  if (upload.status === 'UPLOAD_DELETED') return <p class="soft">It has been deleted.</p>;
  if (upload.status === 'UPLOAD_FAILED') return <ExplanationNotice record={upload} />;
  const isAsked = job.asked.value !== undefined;
  if (fileKind(upload) === 'pdf' && !isAsked) {
    const draft = job.draft.value;
    return (
      <>
        <PdfAnalysis upload={upload} onChange={live.refresh} />
        {draft !== undefined && <PdfSettings upload={upload} draft={draft} />}
      </>
    );
  }
  const isGood = state.tone === 'good';
  return (
    <div class="actions">
      <p role="status">
        <Badge tone={state.tone}>{isGood ? (isAsked ? 'Ordering' : 'Ready to enhance') : state.label}</Badge>
      </p>
      {isGood && !isAsked && (
        <TrialButton
          upload={upload}
          value={imageSettings.value.parameters}
          onChange={(parameters) => void (imageSettings.value = { parameters })}
        />
      )}
    </div>
  );
}
