import { setCurrentDetails } from '@temporalio/workflow';

/** Maximum number of lines kept. More lines would crowd the page in the Web UI. */
const MAX_LINES = 40;

/** Sentences with times about past events. The Web UI shows them as the current details of the workflow. */
export interface Timeline {
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
