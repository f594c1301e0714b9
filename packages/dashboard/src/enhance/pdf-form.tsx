import {
  changesColor,
  COLOR_ADJUSTMENTS,
  IMAGE_PARAMETERS,
  NO_TARGET,
  PDF_PARAMETERS,
  resolvePdfParameters,
  type ColorConfig,
  type ImageChoices,
  type ImageKind,
  type PageChoices,
  SEED_PLANS,
  flattenParameters,
  type ParametersRepresentation,
  type PdfOptions,
} from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { Field } from '../ui/field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { session } from '../session/session.ts';
import { signed } from '../ui/format.ts';
import { cleaned } from './pdf-cleaning.ts';
import { BlankPages } from './blank-pages.tsx';
import { ImageChoicesDetails } from './image-choices.tsx';
import { Range } from './range.tsx';
import { Toggle } from './toggle.tsx';

const ADJUSTMENTS = [
  ['brightness', 'Brightness'],
  ['contrast', 'Contrast'],
  ['saturation', 'Saturation'],
  ['gamma', 'Midtones'],
  ['temperature', 'Warmth'],
] as const satisfies [keyof ColorConfig, string][];

const KINDS = [
  ['PHOTOGRAPH', 'Balance photographs'],
  ['DRAWING', 'Balance drawings and logos'],
  ['CHART', 'Balance charts'],
  ['SCAN', 'Balance scanned pages'],
  ['SCIENTIFIC', 'Balance scientific images'],
] as const satisfies [ImageKind, string][];

/** Whether most images of a PDF whose kind is known are scanned pages, which the local engine can clean. */
export function isScanned({ metadata, provider }: Pick<Upload, 'metadata' | 'provider'>): boolean {
  const { SCAN: scans = 0, ...others } = metadata?.statistics.kinds ?? {};
  return provider === 'LOCAL' && scans > 0 && scans >= Object.values(others).reduce((sum, count) => sum + count, 0);
}

/** The settings that the form of a PDF begins with. */
export const firstPdfOrder = (upload: Upload): ParametersRepresentation =>
  isScanned(upload) ? { mode: 'DOCUMENT' } : {};

export function PdfForm({
  upload,
  value,
  onChange,
}: {
  /** Undefined for many PDFs, whose single images and pages are not chosen */
  upload: Pick<Upload, 'id' | 'metadata'> | undefined;
  value: ParametersRepresentation;
  onChange: (value: ParametersRepresentation) => void;
}) {
  const { maxResolution } = session.value?.plan ?? SEED_PLANS.FREE;
  const p = resolvePdfParameters(flattenParameters(value), maxResolution);
  const set = (change: ParametersRepresentation): void => onChange({ ...value, ...change });
  const setOption = (change: PdfOptions): void => set({ pdf: { ...value.pdf, ...change } });
  const setColor = (change: Partial<ColorConfig>): void =>
    set({ customColorConfig: { ...value.customColorConfig, ...change } });
  const setImages = (images: ImageChoices | undefined): void => {
    const { images: _, ...others } = value.pdf ?? {};
    set({ pdf: images === undefined ? others : { ...others, images } });
  };
  const setPages = (pages: PageChoices | undefined): void => {
    const { pages: _, ...others } = value.pdf ?? {};
    set({ pdf: pages === undefined ? others : { ...others, pages } });
  };
  const cleans = p.mode === 'DOCUMENT';
  const usual = Math.min(PDF_PARAMETERS.targetResolution.default, maxResolution);
  const setEnlarging = (wanted: boolean): void => {
    const { targetResolution: _dpi, ...others } = value;
    onChange(wanted ? { ...others, targetResolution: usual } : others);
  };
  const setMaxBytes = (typed: string): void => {
    const { maxBytes: _maxBytes, ...others } = value;
    onChange(typed === '' ? others : { ...others, maxBytes: Number(typed) });
  };
  return (
    <>
      <Toggle
        label="Scan or photographed page"
        checked={cleans}
        onChange={(wanted) => onChange(cleaned(value, wanted))}
      >
        White paper and dark ink; colours, text layers and links stay
      </Toggle>
      {cleans && (
        <Toggle label="Split double pages" checked={p.split} onChange={(split) => setOption({ split })}>
          Makes two pages of a scan of an open book, at its fold
        </Toggle>
      )}
      {cleans && (
        <Toggle label="Enlarge as well" checked={p.targetResolution !== NO_TARGET} onChange={setEnlarging}>
          Otherwise each image keeps its size
        </Toggle>
      )}
      {p.targetResolution !== NO_TARGET && (
        <>
          <Range
            label="Target resolution"
            min={PDF_PARAMETERS.targetResolution.min}
            max={maxResolution}
            step={6}
            value={p.targetResolution}
            show={(dpi) => `${dpi} DPI`}
            onChange={(targetResolution) => set({ targetResolution })}
          />
          <p class="hint">Print needs 300 DPI. Images at or above it keep their size.</p>
        </>
      )}
      {!cleans && (
        <Toggle
          label="Balance light and colour"
          checked={p.customColorConfig.auto}
          onChange={(auto) => setColor({ auto })}
        >
          For photographs, unless you choose other kinds below
        </Toggle>
      )}
      <Toggle label="Make searchable" checked={p.text} onChange={(text) => setOption({ text })}>
        Reads scanned pages with Tesseract, and adds their text invisibly
      </Toggle>
      {p.text && (
        <TextField
          label="Languages of the text"
          hint="Codes of Tesseract, such as eng+deu"
          required
          pattern={PDF_PARAMETERS.textLanguages.pattern}
          title="Enter one to five languages such as eng+deu."
          maxLength={PDF_PARAMETERS.textLanguages.maxLength}
          value={p.textLanguages}
          onInput={(textLanguages) => setOption({ textLanguages })}
        />
      )}
      {upload !== undefined && changesColor(p) && (
        <ImageChoicesDetails uploadId={upload.id} parameters={p} onChange={setImages} />
      )}
      {upload !== undefined && (
        <BlankPages
          uploadId={upload.id}
          blank={upload.metadata?.statistics.blankPages ?? []}
          choices={value.pdf?.pages}
          onChange={setPages}
        />
      )}
      <details class="more-settings">
        <summary>Fine adjustments</summary>
        <Range
          label="Smallest enlargement factor"
          min={PDF_PARAMETERS.upscalingThreshold.min}
          max={4}
          step={0.1}
          value={p.upscalingThreshold}
          show={(factor) => `${factor.toFixed(1)}×`}
          onChange={(upscalingThreshold) => set({ upscalingThreshold })}
        />
        {(cleans ? [] : KINDS).map(([kind, label]) => (
          <Toggle
            key={kind}
            label={label}
            checked={p.colorKinds.includes(kind)}
            onChange={(chosen) =>
              setOption({
                colorKinds: KINDS.flatMap(([each]) =>
                  (each === kind ? chosen : p.colorKinds.includes(each)) ? [each] : [],
                ),
              })
            }
          />
        ))}
        <Toggle label="For archives" checked={p.archive} onChange={(archive) => setOption({ archive })}>
          Writes PDF/A-2b, or says why this file cannot be PDF/A
        </Toggle>
        <Toggle label="Smaller file" checked={p.compact} onChange={(compact) => setOption({ compact })}>
          Writes a new file; otherwise changes are appended to the original
        </Toggle>
        <Range
          label="Maximum growth"
          min={PDF_PARAMETERS.maxGrowth.min}
          max={10}
          step={0.5}
          value={p.maxGrowth ?? 6}
          show={(times) => `${times.toFixed(1)}×`}
          onChange={(maxGrowth) => setOption({ maxGrowth })}
        />
        <p class="hint">Beyond this size, images are enlarged less, or stay unchanged and cost nothing.</p>
        <Field label="Largest size in bytes" hint="Images get the largest JPEG quality that fits">
          {(tie) => (
            <input
              {...tie}
              type="number"
              inputMode="numeric"
              min={IMAGE_PARAMETERS.maxBytes.min}
              max={IMAGE_PARAMETERS.maxBytes.max}
              step={1}
              value={p.maxBytes}
              onInput={({ currentTarget: { value: typed } }) => setMaxBytes(typed)}
            />
          )}
        </Field>
        <Toggle
          label="Include hidden layers"
          checked={p.hiddenLayers}
          onChange={(hiddenLayers) => setOption({ hiddenLayers })}
        >
          Also enhances images in hidden layers
        </Toggle>
        <Toggle
          label="Even if signed"
          checked={p.allowBreakingSignatures}
          onChange={(allowBreakingSignatures) => setOption({ allowBreakingSignatures })}
        >
          The digital signature becomes invalid
        </Toggle>
        {(cleans ? [] : ADJUSTMENTS).map(([name, label]) => (
          <Range
            key={name}
            label={label}
            min={COLOR_ADJUSTMENTS[name].min}
            max={COLOR_ADJUSTMENTS[name].max}
            step={0.05}
            value={p.customColorConfig[name]}
            show={signed}
            onChange={(amount) => setColor({ [name]: amount })}
          />
        ))}
      </details>
    </>
  );
}
