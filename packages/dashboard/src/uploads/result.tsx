import { sameOrigin } from '@burnish/client';
import { formatNumber, MEDIA_TYPES, MAY_INVENT } from '@burnish/contract';
import type { Enhancement, Upload } from '../api/types.ts';
import { Compare } from '../compare/compare.tsx';
import { formatBytes, formatDuration } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { PdfResult } from './pdf-result.tsx';
import { pictures } from './pictures.ts';

export function Result({
  upload,
  enhancement,
  onOrdered,
}: {
  upload: Upload;
  enhancement: Enhancement;
  /** As in `PdfResult` */
  onOrdered?: () => void;
}) {
  const { id, fullUrl, filename, filesize, growth, width, height, engine, engineDuration, mimetype, reusedFrom } =
    enhancement;
  if (fullUrl === null) return <p class="soft">The result has been deleted.</p>;
  const facts = [
    ...(width && height ? [`${formatNumber(width)} × ${formatNumber(height)} pixels`] : []),
    ...(mimetype === null ? [] : [MEDIA_TYPES[mimetype].extension.toUpperCase()]),
    ...(filesize === null ? [] : [formatBytes(filesize)]),
    ...(growth === null ? [] : [`${growth.toFixed(1)} times the original`]),
    ...(reusedFrom !== null
      ? ['reused result, not charged']
      : engineDuration === null
        ? []
        : [`made in ${formatDuration(engineDuration)}`]),
    ...(engine?.notes.some((note) => note.includes(MAY_INVENT)) ? [MAY_INVENT] : []),
  ];
  return (
    <div class="result">
      {upload.mimetype === 'application/pdf' ? (
        <PdfResult upload={upload} enhancement={enhancement} onOrdered={onOrdered} />
      ) : (
        width !== null &&
        height !== null && (
          <Compare
            before={pictures(`/v1/uploads/${upload.id}/preview`)}
            after={pictures(`/v1/enhancements/${id}/preview`)}
            width={width}
            height={height}
            name={upload.originalFilename}
          />
        )
      )}
      <div class="result-foot">
        <a class="button primary" href={sameOrigin(fullUrl)} download={filename ?? ''}>
          <Icon name="download" size={18} />
          Download
        </a>
        <a class="button plain" href={`/v1/enhancements/${id}/report.pdf`} target="_blank" rel="noreferrer">
          Report
        </a>
        <p class="soft small">{facts.join(' · ')}</p>
      </div>
      <Notes enhancement={enhancement} />
    </div>
  );
}

function Notes({ enhancement: { engine } }: { enhancement: Enhancement }) {
  if (engine === null || engine.notes.length === 0) return null;
  return (
    <details class="notes">
      <summary>Changes</summary>
      <ul>
        {engine.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
