import { explainInOneText } from '@burnish/contract';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../api/client.ts';
import type { UploadWithEnhancements } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { describeFile, keptUntil } from './facts.ts';
import { findActivity } from './activity.ts';
import { Thumbnail } from './thumbnail.tsx';
import { uploadState, overallState } from './words.ts';

const POLL_MS = 3000;

/** One upload in the list; the row reads its record again while work runs. */
export function UploadRow({
  upload: listed,
  onDelete,
}: {
  upload: UploadWithEnhancements;
  onDelete: (upload: UploadWithEnhancements) => void;
}) {
  const upload = useUntilReady(listed);
  const state = overallState(upload);
  const failed = uploadState(upload).tone === 'bad' ? upload : upload.enhancements.at(-1);
  return (
    <li class="upload-row">
      <Thumbnail upload={upload} />
      <div class="upload-main">
        <a class="upload-name" href={`/uploads/${upload.id}`}>
          {upload.originalFilename}
        </a>
        <p class="soft small">{describeFile(upload)}</p>
        {state.tone === 'bad' && (
          <p class="small upload-trouble">
            {failed !== undefined && explainInOneText(failed.errorCode, failed.errorDetail ?? '')}
          </p>
        )}
      </div>
      <div class="upload-state">
        <Badge tone={state.tone}>{state.label}</Badge>
        <span class="soft small">
          <Time at={upload.createdAt} />
        </span>
      </div>
      <p class="upload-kept soft small">{keptUntil(upload)}</p>
      <Button
        kind="quiet"
        icon="trash"
        aria-label={`Delete ${upload.originalFilename}`}
        onClick={() => onDelete(upload)}
      />
    </li>
  );
}

function useUntilReady(listed: UploadWithEnhancements): UploadWithEnhancements {
  const [upload, setUpload] = useState(listed);
  useEffect(() => setUpload(listed), [listed]);
  useEffect(() => {
    if (findActivity(upload) !== 'busy') return;
    const timer = setTimeout(() => {
      get<UploadWithEnhancements>(`/v1/uploads/${upload.id}`).then(setUpload, () => setUpload({ ...upload }));
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [upload]);
  return upload;
}
