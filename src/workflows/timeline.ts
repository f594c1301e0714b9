import { setCurrentDetails } from '@temporalio/workflow';

/** Lines kept; more would crowd the page where a person reads them. */
const MAX_LINES = 40;

/** What happened so far in plain words with times, shown as the current details of the workflow in the Web UI. */
export interface Timeline {
  /** Adds a sentence at the present (workflow) time. */
  say(sentence: string): void;
  readonly lines: readonly string[];
}

export function createTimeline(carried: readonly string[] = []): Timeline {
  const lines = [...carried];
  return {
    lines,
    say(sentence) {
      lines.push(`\`${new Date().toISOString()}\` ${sentence}`);
      if (lines.length > MAX_LINES) lines.splice(1, lines.length - MAX_LINES, '…');
      setCurrentDetails(lines.map((line) => `- ${line}`).join('\n'));
    },
  };
}
