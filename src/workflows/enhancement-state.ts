import { setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { isTerminal, type Enhancement } from '../domain/enhancement.ts';
import { enhancementEventData } from '../domain/events.ts';
import { enhancementState } from '../domain/messages.ts';
import { statusAttribute } from '../domain/search-attributes.ts';
import type { EnhancementInput } from '../domain/workflow-inputs.ts';
import { recordEnhancement } from './activities.ts';
import { announce } from './announce.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** The state of one enhancement, and the only way to change it. */
export interface EnhancementTracker {
  readonly state: Enhancement;
  readonly timeline: Timeline;
  /** Changes the state and writes it where it can be read; resolves when it can be. */
  move(changes: Partial<Enhancement>, sentence: string): Promise<void>;
  /** Tells the receivers of webhooks where the enhancement stands. */
  tell(): Promise<void>;
}

export function trackEnhancement({ initial, upload, plan }: EnhancementInput): EnhancementTracker {
  const state: Enhancement = { ...initial };
  const timeline = createTimeline();
  setHandler(enhancementState, () => state);

  return {
    state,
    timeline,
    async move(changes, sentence) {
      const statusChanged = changes.status !== undefined && changes.status !== state.status;
      Object.assign(state, changes);
      state.revision += 1;
      timeline.say(sentence);
      if (statusChanged) upsertSearchAttributes([{ key: statusAttribute, value: state.status }]);
      const source = { sourceSha256: upload.sha256, mimetype: upload.mimetype, plan };
      await recordEnhancement({ enhancement: { ...state }, source, sentence });
    },
    async tell() {
      await announce({
        accountId: state.accountId,
        kind: 'enhanced_image.status_update',
        data: enhancementEventData(state),
        webhookUrl: upload.webhookUrl,
        // A terminal status is told once, however often the state is written after it.
        occasion: isTerminal(state.status) ? 'settled' : `revision-${state.revision}`,
      });
    },
  };
}
