import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_REFERENCE_LENGTH, type UploadStatus } from '@burnish/contract';
import type { UploadWithEnhancements } from '../api/types.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Loading } from '../ui/progress.tsx';
import { findActivity } from '../uploads/activity.ts';
import type { Gallery } from './gallery.ts';
import { LayoutChoice } from './layout-choice.tsx';
import { layout } from './layout.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Tiles } from './tiles.tsx';
import { useGallery } from './use-gallery.ts';
import { filteredAddress, useSearch } from './use-search.ts';
import './gallery.css';

/** Deleted uploads are not listed. */
const STATUSES = {
  UPLOAD_PENDING: 'Waiting for its file',
  UPLOAD_PROCESSING: 'Checking',
  UPLOAD_FINISHED: 'Received',
  UPLOAD_FAILED: 'Failed',
} as const satisfies Partial<Record<UploadStatus, string>>;

/** Milliseconds between two reads of records at work. */
const POLL_MS = 3000;
/** Scrolled pixels up to which new uploads may move the others. */
const AT_TOP = 200;

/** All uploads with their results, newest first, filtered by name, reference and status. */
export function GalleryPage() {
  const name = useSearch('search');
  const reference = useSearch('reference');
  const { path, query, route } = useLocation();
  const status = Object.keys(STATUSES).find((each) => each === query['status']) ?? '';
  const filters = { search: name.asked, reference: reference.asked, status };
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const gallery = useGallery(filteredAddress('/v1/uploads', { limit: '100', include: 'enhancements' }, filters));
  const uploads = gallery.uploads.value;
  const hasMore = gallery.hasMore.value;
  const isLoading = gallery.isLoading.value;
  const error = gallery.error.value;
  const onShown = useFreshRecords(gallery);

  // A page with tombstones only is skipped: the first one has uploads, or is the end.
  useEffect(() => {
    if ((uploads === undefined || uploads.length === 0) && error === undefined) gallery.more();
  }, [gallery, uploads]);

  return (
    <>
      <PageHeader title="Uploads" lead="Your uploads and their results, until their date of deletion.">
        <a class="button primary" href="/">
          <Icon name="plus" size={18} /> Enhance more
        </a>
      </PageHeader>
      <div class="search" role="search">
        <Icon name="search" size={18} />
        <input
          type="search"
          aria-label="Search by file name"
          placeholder="Search by file name"
          maxLength={100}
          value={name.text}
          onInput={(event) => name.setText(event.currentTarget.value)}
        />
        <input
          type="search"
          aria-label="Reference"
          placeholder="Reference"
          maxLength={MAX_REFERENCE_LENGTH}
          value={reference.text}
          onInput={(event) => reference.setText(event.currentTarget.value)}
        />
        <select
          aria-label="Status"
          value={status}
          onChange={(event) => route(filteredAddress(path, query, { status: event.currentTarget.value }), true)}
        >
          <option value="">All statuses</option>
          {Object.entries(STATUSES).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <LayoutChoice />
      </div>
      {uploads === undefined && error === undefined && <Loading />}
      {uploads?.length === 0 && !hasMore && <Nothing asked={name.asked} isFiltered={isFiltered} />}
      {uploads !== undefined && uploads.length > 0 && (
        <Tiles key={gallery.address} gallery={gallery} uploads={uploads} layout={layout.value} onShown={onShown} />
      )}
      <Trouble error={error} retry={gallery.more} />
      {isLoading && uploads !== undefined && <Loading label="Loading more uploads …" />}
      <p class="sr-only" role="status">
        {uploads !== undefined && !isLoading && `${uploads.length}${hasMore ? ' or more' : ''} uploads.`}
      </p>
      {uploads !== undefined && <SelectionBar gallery={gallery} uploads={uploads} />}
    </>
  );
}

/** Reads records in the document again: those at work from time to time, and all of them when a person comes back to the page. */
function useFreshRecords(gallery: Gallery): (shown: readonly UploadWithEnhancements[]) => void {
  const [shown, setShown] = useState<readonly UploadWithEnhancements[]>([]);
  const isKnown = useRef(gallery.uploads.value !== undefined);
  useEffect(() => {
    const refresh = (uploads: readonly UploadWithEnhancements[]): void =>
      gallery.refresh(new Set(uploads.map(({ id }) => id)), scrollY < AT_TOP);
    if (isKnown.current && shown.length > 0) {
      isKnown.current = false;
      refresh(shown);
    }
    const busy = shown.filter((upload) => findActivity(upload) === 'busy');
    if (busy.length === 0) return;
    const timer = setTimeout(() => refresh(busy), POLL_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return setShown;
}

function Nothing({ asked, isFiltered }: { asked: string; isFiltered: boolean }) {
  return !isFiltered ? (
    <Empty icon="images" title="No uploads yet">
      Your uploads appear here. <a href="/">Enhance a first image or PDF</a>
    </Empty>
  ) : (
    <Empty icon="search" title={asked === '' ? 'No upload matches the filters' : `No file name contains “${asked}”`}>
      Change the filters. Deleted uploads are not listed.
    </Empty>
  );
}
