import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { readEntries } from '../batches/folder-files.ts';
import { openFolder } from '../batches/folder.ts';
import { SandboxNotice } from '../session/sandbox-notice.tsx';
import { session } from '../session/session.ts';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { loadCredits } from '../uploads/credits-left.ts';
import { DropZone } from './drop-zone.tsx';
import { FilesInTrouble } from './files-in-trouble.tsx';
import { ImageSettings } from './image-settings.tsx';
import { JobCard } from './job-card.tsx';
import { addFiles, addUrl, jobs, leftOut, undecidedImages, unfinished } from './jobs.ts';
import { draftedPdfs } from './order.ts';
import { ORDER_BAR, OrderBar } from './order-bar.tsx';
import '../uploads/uploads.css';
import './enhance.css';

export function EnhancePage() {
  const { route } = useLocation();
  useEffect(loadCredits, []);
  const list = jobs.value;
  const isEmpty = list.length === 0;
  const hasImages = undecidedImages.value.length > 0;
  const hasOrder = hasImages || draftedPdfs.value.length > 0;
  return (
    <>
      <PageHeader title="Enhance" lead="Uploads are free. You see the price of an enhancement before you order it." />
      <SandboxNotice sentence={session.value?.sandboxMissing ?? null} />
      <DropZone
        small={!isEmpty}
        onFiles={addFiles}
        onUrl={addUrl}
        onFolder={(entries) => {
          void openFolder(readEntries(entries));
          route('/batches');
        }}
      />
      {leftOut.value > 0 && (
        <Notice kind="warning">{leftOut.value} files were not added. Remove some from this page first.</Notice>
      )}
      <FilesInTrouble />
      {/* Each result has a dozen places for the Tab key. */}
      {hasOrder && (
        <a class="skip-link" href={`#${ORDER_BAR}`}>
          Skip to the order
        </a>
      )}
      {isEmpty ? (
        <HowItGoes />
      ) : (
        <div class={hasImages ? 'enhance-columns' : 'enhance-one'}>
          <ul class="jobs" aria-label="Files">
            {list.map((job) => (
              <JobCard key={job.key} job={job} />
            ))}
          </ul>
          {hasImages && <ImageSettings />}
        </div>
      )}
      {!isEmpty && (
        <p class="soft small kept">
          {unfinished.value > 0 ? (
            'Keep this page open until all files are sent and ordered.'
          ) : (
            <>
              You can close this page: sent files are under <a href="/uploads">Uploads</a>, and their enhancements
              continue.
            </>
          )}
        </p>
      )}
      {hasOrder && <OrderBar />}
    </>
  );
}

function HowItGoes() {
  return (
    <ol class="how">
      <li>
        <strong>Send</strong>
        <span>Burnish checks each image, and finds the images of each PDF.</span>
      </li>
      <li>
        <strong>Choose</strong>
        <span>Light and colour, size and repair, each with its price.</span>
      </li>
      <li>
        <strong>Compare</strong>
        <span>Compare before and after, then download.</span>
      </li>
    </ol>
  );
}
