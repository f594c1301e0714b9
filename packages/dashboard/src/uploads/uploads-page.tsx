import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { MAX_REFERENCE_LENGTH, type UploadStatus } from '@burnish/contract';
import type { UploadWithEnhancements } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Loading } from '../ui/progress.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { DeleteUpload } from './delete-upload.tsx';
import { UploadRow } from './upload-row.tsx';
import { filteredAddress, useSearch } from './use-search.ts';
import './uploads.css';

/** Deleted uploads are not listed. */
const STATUSES = {
  UPLOAD_PENDING: 'Waiting for its file',
  UPLOAD_PROCESSING: 'Checking',
  UPLOAD_FINISHED: 'Received',
  UPLOAD_FAILED: 'Failed',
} as const satisfies Partial<Record<UploadStatus, string>>;

/** All uploads, newest first, filtered by name, reference and status. */
export function UploadsPage() {
  const name = useSearch('search');
  const reference = useSearch('reference');
  const { path, query, route } = useLocation();
  const status = Object.keys(STATUSES).find((each) => each === query['status']) ?? '';
  const filters = { search: name.asked, reference: reference.asked, status };
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const list = useListing<UploadWithEnhancements>(
    filteredAddress('/v1/uploads', { limit: '20', include: 'enhancements' }, filters),
  );
  const [deleting, setDeleting] = useState<UploadWithEnhancements>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const items = list.items?.filter(({ id, status }) => status !== 'UPLOAD_DELETED' && !gone.has(id));

  // A page with tombstones only is skipped: each scroll shows uploads, or the end.
  useEffect(() => {
    if (items?.length === 0 && list.hasMore && !list.isLoading && list.error === undefined) list.more();
  }, [items?.length, list.hasMore, list.isLoading]);

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
      </div>
      <Trouble error={list.error} retry={list.reload} />
      {items === undefined && list.error === undefined && <Loading />}
      {items?.length === 0 && !list.hasMore && <Nothing asked={name.asked} isFiltered={isFiltered} />}
      {items !== undefined && items.length > 0 && (
        <ul class="uploads" aria-label="Uploads">
          {items.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onDelete={setDeleting} />
          ))}
        </ul>
      )}
      <ShowMore list={list} words="More uploads" />
      <p class="sr-only" role="status">
        {items !== undefined && !list.isLoading && `${items.length} uploads shown.`}
      </p>
      {deleting !== undefined && (
        <DeleteUpload
          upload={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => setGone((before) => new Set(before).add(deleting.id))}
        />
      )}
    </>
  );
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
