import { useState } from 'preact/hooks';
import { mediaKind, type MediaType, type ParametersRepresentation } from '@burnish/contract';
import { Segments } from '../enhance/segments.tsx';
import type { Upload } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Progress } from '../ui/progress.tsx';
import { PartMap } from './part-map.tsx';
import { TrialPictures } from './trial-pictures.tsx';
import { useTrial, type Place } from './use-trial.ts';
import { variantsOf } from './variants.ts';
import './trial.css';

const VIEWS = [
  { value: 'whole', label: 'Whole' },
  { value: 'part', label: '100 %' },
] as const;

/** Shows settings beside each other on the file itself, before an order. The chosen picture fills the order. */
export function TrialDialog({
  upload,
  value,
  onChange,
  onClose,
}: {
  upload: Upload;
  value: ParametersRepresentation;
  onChange: (parameters: ParametersRepresentation) => void;
  onClose: () => void;
}) {
  const kind = mediaKind(upload.mimetype as MediaType);
  const [view, setView] = useState<'whole' | 'part'>('whole');
  const [place, setPlace] = useState<Place>({ x: 0.5, y: 0.5 });
  const [page, setPage] = useState(1);
  /** Choosing one of them changes nothing else */
  const [first] = useState(value);
  const variants = variantsOf(kind, first);
  const isPart = view === 'part';
  const { trial, isLoading, error, retry } = useTrial({
    uploadId: upload.id,
    variants,
    part: isPart ? place : undefined,
    page: kind === 'pdf' ? page : undefined,
  });
  const pages = upload.metadata?.statistics.pages ?? 1;
  const preview = kind === 'pdf' ? `pdf-pages/${page}/preview` : 'preview';
  return (
    <Dialog title={`Try ${upload.originalFilename}`} isWide onClose={onClose}>
      <p class="soft small">
        {isPart
          ? 'Each pixel of the result is a pixel here, with noise, artefacts and size as ordered.'
          : 'Light and colour on the whole picture. Noise, artefacts and size show at 100 %.'}{' '}
        A trial is free.
      </p>
      <div class="trial-tools">
        <Segments label="View" options={VIEWS} value={view} onChange={setView} />
        {kind === 'pdf' && pages > 1 && (
          <Field label="Page">
            {(tie) => (
              <input
                {...tie}
                type="number"
                min={1}
                max={pages}
                value={page}
                onChange={({ currentTarget }) => {
                  if (currentTarget.reportValidity() && currentTarget.value !== '')
                    setPage(currentTarget.valueAsNumber);
                }}
              />
            )}
          </Field>
        )}
        {isPart && (
          <PartMap
            src={`/v1/uploads/${upload.id}/${preview}`}
            area={trial && trial.area.width < 1 ? trial.area : undefined}
            place={place}
            onMove={setPlace}
          />
        )}
      </div>
      <Trouble error={error} retry={retry} />
      <div class="trial-answer" aria-busy={isLoading}>
        {trial !== undefined && (
          <TrialPictures
            kind={kind}
            trial={trial}
            variants={variants}
            value={value}
            isPart={isPart}
            onChoose={onChange}
          />
        )}
        {isLoading && <Progress label="Trying the settings" />}
      </div>
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          Use the chosen settings
        </Button>
      </div>
    </Dialog>
  );
}
