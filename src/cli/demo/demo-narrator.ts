import type { UploadEvent } from '@burnish/client';
import { counted, formatNumber, type EnhancementRepresentation, type UploadRepresentation } from '@burnish/contract';
import { formatBytes, formatDuration, formatPixels } from '../enhance/enhance-format.ts';
import type { Progress } from '../enhance/enhance-progress.ts';

const NAME_WIDTH = 13;
const STATE_WIDTH = 30;

export interface Narrator {
  /** One line: the time of day, the file, its state, and details */
  tell(state: string, remark?: string): void;
  event(event: UploadEvent): void;
}

/** Prints each state of a file once, with its time, and shows the progress of running work. */
export function createNarrator(name: string, progress: Progress, now: () => Date = () => new Date()): Narrator {
  const printed = new Set<string>();

  function tell(state: string, remark = ''): void {
    if (printed.has(state)) return;
    printed.add(state);
    progress.line(`${timeOfDay(now())}  ${name.padEnd(NAME_WIDTH)}  ${state.padEnd(STATE_WIDTH)}  ${remark}`.trimEnd());
  }

  return {
    tell,
    event(event) {
      if (event.kind === 'progress') progress.update(name, event.step, event.fraction);
      else if (event.kind === 'enhancement') {
        const { enhancement } = event;
        if (enhancement.status === 'PROCESSING') progress.update(name, 'enhancing', 0);
        else progress.clear(name);
        tell(enhancement.status, enhancementRemark(enhancement));
      } else {
        tell(event.upload.status, uploadRemark(event.upload));
        if (event.upload.subStatus !== null) tell(event.upload.subStatus, analysisRemark(event.upload));
      }
    },
  };
}

function uploadRemark(upload: UploadRepresentation): string {
  const { explanation } = upload;
  if (explanation) return `${explanation.detail} ${explanation.remedy}`;
  if (upload.filesize === null) return '';
  const pixels = upload.width > 0 ? `${formatPixels(upload)} pixels, ` : '';
  return `${pixels}${formatBytes(upload.filesize)}`;
}

function analysisRemark({ metadata }: UploadRepresentation): string {
  if (metadata === null) return '';
  const { pages, images, resizeEligible } = metadata.statistics;
  return `${counted(pages, 'page')}, ${counted(images, 'image')}, ${formatNumber(resizeEligible)} to be upscaled`;
}

function enhancementRemark(enhancement: EnhancementRepresentation): string {
  const { status, estimatedCredits, chargedCredits, engineDuration, engine, reusedFrom, explanation } = enhancement;
  if (explanation) return `${explanation.detail} ${explanation.remedy}`;
  if (status === 'PROCESSING')
    return estimatedCredits === null ? '' : `at most ${counted(estimatedCredits, 'credit')}, reserved`;
  if (status !== 'FINISHED') return '';
  if (reusedFrom !== null) return 'a stored result was reused, 0 credits';
  const steps = engine !== null && engine.steps.length > 0 ? `${engine.steps.join(', ')}; ` : '';
  return `${steps}${formatDuration(engineDuration ?? 0)} of engine time, ${counted(chargedCredits ?? 0, 'credit')}`;
}

function timeOfDay(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
