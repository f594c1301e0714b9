import { until } from '../../support/until.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { commit, type Failing, type Fault, type FaultTimes } from './faults.ts';
import { judge, type Cell } from './judge.ts';
import { replaceTheDead } from './orchestrator.ts';
import type { Place } from './place.ts';
import { prepareLives, type Stage } from './lives.ts';

export interface RowOptions {
  component: Failing;
  fault: Fault;
  stages: readonly Stage[];
  times: FaultTimes;
  /** Time limit for all lifecycles after the end of the fault, milliseconds */
  limitMs: number;
}

/** Injects one fault while lifecycles are at all stages, and reports their outcomes. */
export async function runRow(
  place: Place,
  receiver: WebhookReceiver,
  { component, fault, stages, times, limitMs }: RowOptions,
): Promise<Record<Stage, Cell>> {
  const scene = { place, receiver, stages, row: `${component} ${fault}`.replaceAll(' ', '-') };
  const begin = await prepareLives(scene);
  const longest = Math.max(times.stop, times.longStop) * 1000;
  const lives = begin(performance.now() + longest + limitMs);
  await commit(place, component, fault, times);
  const endedAt = performance.now();
  const orchestrator = replaceTheDead(place);
  const cells = await judge(scene, lives, endedAt, limitMs);
  await orchestrator.stop();
  for (const name of orchestrator.died) cells[stages[0]!].notes.push(`died of itself, and was replaced: ${name}`);
  // Waits until all is healthy for the next row.
  await until(async () => ((await fetch(`${place.url}/readyz`).catch(() => undefined))?.ok ? true : undefined));
  return cells;
}
