import type { CalmStep } from './calm.ts';

const STEPS = ['upload', 'read', 'finish', 'event', 'order', 'download', 'list', 'delete'] as const;

/** Milliseconds within which all but a share of the times lie; 0 without one. @param share such as 0.95 */
function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const timesOf = (steps: readonly CalmStep[], step: string): number[] =>
  steps.filter((each) => each.step === step).map(({ ms }) => ms);

/** The bound of the 95th percentile beside neighbours, milliseconds: twice the quiet one, and a second. */
const boundOf = (quiet: readonly CalmStep[], step: string): number =>
  2 * percentile(timesOf(quiet, step), 0.95) + 1_000;

/** Sentences about each step that was refused, lost or late beside neighbours. */
export function faults(quiet: readonly CalmStep[], beside: readonly CalmStep[]): string[] {
  const bad = beside.filter(({ status }) => status < 200 || status >= 300);
  const refused = bad.map(({ step, status, code }) => `${step}: ${status} ${code ?? ''}`);
  const kinds = [...new Set(refused)].map((kind) => `${kind} × ${refused.filter((each) => each === kind).length}`);
  const late = STEPS.flatMap((step) => {
    const [is, bound] = [percentile(timesOf(beside, step), 0.95), boundOf(quiet, step)];
    return is > bound ? [`${step}: p95 ${Math.round(is)} ms, where ${Math.round(bound)} ms is the bound`] : [];
  });
  return [...kinds, ...late];
}

/** A table in Markdown: median and 95th percentile of each step, quiet and beside neighbours. */
export function table(quiet: readonly CalmStep[], beside: readonly CalmStep[]): string {
  const ms = (steps: readonly CalmStep[], step: string, share: number): string =>
    `${Math.round(percentile(timesOf(steps, step), share))} ms`;
  const rows = STEPS.map((step) => [
    step,
    String(timesOf(beside, step).length),
    ms(quiet, step, 0.5),
    ms(quiet, step, 0.95),
    ms(beside, step, 0.5),
    ms(beside, step, 0.95),
  ]);
  const head = ['step', 'count', 'quiet, median', 'quiet, p95', 'beside neighbours, median', 'beside neighbours, p95'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
