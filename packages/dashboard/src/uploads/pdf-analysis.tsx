import { useState } from 'preact/hooks';
import { counted, formatNumber, type ImageKind, creditRange } from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { isScanned } from '../enhance/pdf-form.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { ExplanationNotice } from '../ui/explanation-notice.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { analyzeAgain } from './actions.ts';
import { uploadState } from './words.ts';

export function PdfAnalysis({ upload, onChange }: { upload: Upload; onChange: () => void }) {
  if (upload.subStatus === 'METADATA_ANALYZED_FAILED') {
    return <FailedAnalysis upload={upload} onChange={onChange} />;
  }
  const { metadata } = upload;
  if (metadata === null) return uploadState(upload).tone === 'busy' ? <Loading label="Analyzing the PDF …" /> : null;
  const {
    pages,
    images,
    colorEligible,
    resizeEligible,
    belowTarget = 0,
    lowestReached = 0,
    kinds = {},
    signed,
  } = metadata.statistics;
  return (
    <div class="analysis">
      <dl class="figures">
        <Figure name="Pages" value={pages} />
        <Figure name="Images" value={images} />
        <Figure name="Eligible for colour correction" value={colorEligible} />
        <Figure name="Eligible for enlargement" value={resizeEligible} />
      </dl>
      <p>{wordsFor(pages, images, colorEligible, resizeEligible)}</p>
      {Object.keys(kinds).length > 0 && <p>{wordsForKinds(kinds, isScanned(upload))}</p>}
      {signed && <p>The PDF is signed. An enhancement invalidates its signature, so you have to allow that first.</p>}
      {belowTarget > 0 && (
        <p>
          {counted(belowTarget, 'image')} cannot reach 300 DPI, because an image is enlarged at most 4 times; the lowest
          reaches {formatNumber(lowestReached)} DPI.
        </p>
      )}
      {metadata.totalCredits > 0 && !isScanned(upload) && (
        <p>
          With the usual settings this costs{' '}
          <strong>{creditRange(metadata.statistics.credits.resize, metadata.totalCredits)}</strong>. You see the exact
          price for your settings before you decide.
        </p>
      )}
    </div>
  );
}

function FailedAnalysis({ upload, onChange }: { upload: Upload; onChange: () => void }) {
  const [error, setError] = useState<unknown>();
  const [password, setPassword] = useState('');
  const needsPassword = upload.errorCode === 'ENCRYPTED_PDF' || upload.errorCode === 'WRONG_PASSWORD';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void analyzeAgain(upload.id, needsPassword ? password : undefined).then(onChange, setError);
      }}
    >
      <ExplanationNotice record={upload} />
      <Trouble error={error} />
      {needsPassword && (
        <Field label="Password of the PDF">
          {(tie) => (
            <input
              {...tie}
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              maxLength={127}
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          )}
        </Field>
      )}
      <Button icon="refresh" type="submit">
        Analyze again
      </Button>
    </form>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatNumber(value)}</dd>
    </div>
  );
}

const KIND_WORDS: Record<ImageKind, string> = {
  PHOTOGRAPH: 'photograph',
  DRAWING: 'drawing or logo',
  CHART: 'chart',
  SCAN: 'scanned page',
  SCIENTIFIC: 'scientific image',
};

function wordsForKinds(kinds: Partial<Record<ImageKind, number>>, scanned: boolean): string {
  const names = Object.entries(KIND_WORDS).flatMap(([kind, words]) => {
    const count = kinds[kind as ImageKind] ?? 0;
    return count === 0
      ? []
      : [count === 1 ? `1 ${words}` : `${formatNumber(count)} ${words.replace(' or logo', 's or logo')}s`];
  });
  const usual = scanned
    ? 'At least half of its images are scanned pages, so “Scan or photographed page” is on at first.'
    : 'Only the colours of photographs change, unless you choose other kinds.';
  return `Kinds of its images: ${names.join(', ')}. ${usual}`;
}

function wordsFor(pages: number, images: number, color: number, resize: number): string {
  const file = `The PDF has ${counted(pages, 'page')} with ${counted(images, 'image')}.`;
  if (images === 0) return `${file} It has no image to enhance.`;
  if (color + resize === 0) {
    return `${file} With the usual settings none needs a change: for 300 DPI, none needs more than 1.2 times its size, and none looks like a photograph.`;
  }
  const gains = [
    ...(color > 0
      ? [
          `${color === 1 ? 'One looks like a photograph' : `${color} look like photographs`} whose colours can be improved`,
        ]
      : []),
    ...(resize > 0
      ? [`${resize === 1 ? 'one is' : `${resize} are`} shown far below 300 DPI and can be enlarged for print`]
      : []),
  ];
  const text = gains.join('; ');
  return `${file} ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
