import type { UploadWithEnhancements } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Copy } from '../ui/copy.tsx';
import { curl } from '../ui/curl.ts';
import { formatDay } from '../ui/format.ts';
import { Time } from '../ui/time.tsx';
import { deletionDay, describeFile } from './facts.ts';
import { Thumbnail } from './thumbnail.tsx';
import { credits, uploadState } from './words.ts';

export function UploadFacts({ upload }: { upload: UploadWithEnhancements }) {
  const state = uploadState(upload);
  const charged = upload.enhancements.reduce((sum, { chargedCredits }) => sum + (chargedCredits ?? 0), 0);
  return (
    <>
      {upload.mimetype?.startsWith('image/') && upload.status === 'UPLOAD_FINISHED' && (
        <div class="facts-picture">
          <Thumbnail upload={upload} />
        </div>
      )}
      <dl class="upload-facts">
        <div>
          <dt>State</dt>
          <dd>
            <span role="status">
              <Badge tone={state.tone}>{state.label}</Badge>
            </span>
          </dd>
        </div>
        <Fact name="File" value={describeFile(upload) || 'Not received yet'} />
        <div>
          <dt>Sent</dt>
          <dd>
            <Time at={upload.createdAt} exact />
          </dd>
        </div>
        {upload.deletedAt === null ? (
          <Fact name="Kept until" value={formatDay(deletionDay(upload))} />
        ) : (
          <Fact
            name="Deleted"
            value={`${formatDay(upload.deletedAt)}, ${upload.deletionReason === 'retention' ? 'retention ended' : 'on request'}`}
          />
        )}
        <Fact name="Charged" value={credits(charged)} />
        <div>
          <dt>Id</dt>
          <dd>
            <code>{upload.id}</code>
          </dd>
        </div>
      </dl>
      <div class="actions">
        <Copy what="id" value={upload.id} />
        {upload.url !== null && <Copy what="URL" value={upload.url} />}
        <Copy what="curl" value={curl('GET', `/v1/uploads/${upload.id}`)} />
      </div>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
