import { COLOR_ADJUSTMENTS, PDF_PARAMETERS } from '../../domain/enhancement/parameter-table.ts';
import {
  changesColor,
  resolvePdfParameters,
  type ColorConfig,
  type EnhancementParameters,
} from '../../domain/enhancement/parameters.ts';
import type { ImageChoices, ImageKind } from '../../domain/enhancement/image-kinds.ts';
import { SEED_PLANS } from '../../domain/accounts/account.ts';
import { session } from '../session/session.ts';
import { signed } from '../ui/format.ts';
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

export function PdfForm({
  uploadId,
  value,
  onChange,
}: {
  uploadId: string;
  value: EnhancementParameters;
  onChange: (value: EnhancementParameters) => void;
}) {
  const { maxResolution } = session.value?.plan ?? SEED_PLANS.FREE;
  const p = resolvePdfParameters(value, maxResolution);
  const set = (change: EnhancementParameters): void => onChange({ ...value, ...change });
  const setColor = (change: Partial<ColorConfig>): void =>
    set({ customColorConfig: { ...value.customColorConfig, ...change } });
  const setImages = (images: ImageChoices | undefined): void => {
    const { images: _, ...others } = value;
    onChange(images === undefined ? others : { ...others, images });
  };
  return (
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
      <p class="hint">300 DPI is what print needs. Images at or above it keep their size.</p>
      <Toggle
        label="Balance light and colour"
        checked={p.customColorConfig.auto}
        onChange={(auto) => setColor({ auto })}
      >
        For photographs, unless you choose other kinds below
      </Toggle>
      {changesColor(p) && <ImageChoicesDetails uploadId={uploadId} parameters={p} onChange={setImages} />}
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
        {KINDS.map(([kind, label]) => (
          <Toggle
            key={kind}
            label={label}
            checked={p.colorKinds.includes(kind)}
            onChange={(chosen) =>
              set({
                colorKinds: KINDS.flatMap(([each]) =>
                  (each === kind ? chosen : p.colorKinds.includes(each)) ? [each] : [],
                ),
              })
            }
          />
        ))}
        <Toggle label="Smaller file" checked={p.compact} onChange={(compact) => set({ compact })}>
          Writes a new file; otherwise changes are appended to the original
        </Toggle>
        <Range
          label="Maximum growth"
          min={PDF_PARAMETERS.maxGrowth.min}
          max={10}
          step={0.5}
          value={p.maxGrowth ?? 6}
          show={(times) => `${times.toFixed(1)}×`}
          onChange={(maxGrowth) => set({ maxGrowth })}
        />
        <p class="hint">Beyond this size, images are enlarged less, or stay unchanged and cost nothing.</p>
        <Toggle
          label="Include hidden layers"
          checked={p.hiddenLayers}
          onChange={(hiddenLayers) => set({ hiddenLayers })}
        >
          Also enhances images in hidden layers
        </Toggle>
        <Toggle
          label="Include 1-bit scans"
          checked={p.bilevel === 'SMOOTH'}
          onChange={(smooth) => set({ bilevel: smooth ? 'SMOOTH' : 'KEEP' })}
        >
          Pure black and white; enlarged with smooth edges
        </Toggle>
        <Toggle
          label="Even if signed"
          checked={p.allowBreakingSignatures}
          onChange={(allowBreakingSignatures) => set({ allowBreakingSignatures })}
        >
          The digital signature becomes invalid
        </Toggle>
        {ADJUSTMENTS.map(([name, label]) => (
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
