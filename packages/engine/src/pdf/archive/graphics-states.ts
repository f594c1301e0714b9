import type { PdfDict, PdfValue } from '@burnish/pdf';
import { addObstacle, dropKeys, nameOf, type ArchivePass } from './archive-pass.ts';

const INTENTS = new Set(['RelativeColorimetric', 'AbsoluteColorimetric', 'Perceptual', 'Saturation']);
const BLEND_MODES = new Set(
  `Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue
   Saturation Color Luminosity`.split(/\s+/),
);

export const isIntent = (pass: ArchivePass, value: PdfValue | undefined): boolean =>
  INTENTS.has(nameOf(pass, value) ?? '');

/** Checks the parameters of a graphics state (ISO 19005-2 sections 6.2.5 and 6.2.10). Halftones have no effect on a screen. */
export function checkGraphicsState(pass: ArchivePass, state: PdfDict): void {
  dropKeys(pass, state, ['HTP', 'HT', 'HTO']);
  for (const [key, neutral] of [
    ['TR', 'Identity'],
    ['TR2', 'Default'],
  ] as const) {
    const transfer = nameOf(pass, state.get(key));
    if (!state.has(key)) continue;
    if (transfer === neutral || transfer === 'Identity' || transfer === 'Default') dropKeys(pass, state, [key]);
    else addObstacle(pass, 'graphics-state');
  }
  if (state.has('RI') && !isIntent(pass, state.get('RI'))) addObstacle(pass, 'intent');
  if (state.has('BM') && !BLEND_MODES.has(nameOf(pass, state.get('BM')) ?? '')) addObstacle(pass, 'graphics-state');
}

/** Whether a graphics state overprints in mode 1, which PDF/A forbids with CMYK of a profile (section 6.2.4.2). */
export function overprints({ objects }: ArchivePass, state: PdfDict): boolean {
  const isOn = (key: string): boolean => objects.resolve(state.get(key)) === true;
  return objects.resolve(state.get('OPM')) === 1 && (isOn('OP') || isOn('op'));
}
