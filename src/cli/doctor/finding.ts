import { StartupError } from '../../domain/startup-error.ts';

/** What a check has found about one need of a start. */
export interface Finding {
  /** Such as `Disk` */
  subject: string;
  /** `advice`: Burnish starts, and something is weaker than it could be. `fault`: a start fails. */
  state: 'good' | 'advice' | 'fault';
  /** The thing that was found, or the fault and the remedy */
  sentence: string;
}

export const good = (subject: string, sentence: string): Finding => ({ subject, state: 'good', sentence });
export const advice = (subject: string, sentence: string): Finding => ({ subject, state: 'advice', sentence });
export const fault = (subject: string, sentence: string): Finding => ({ subject, state: 'fault', sentence });

/** A check whose refusals are those of a start. */
export async function check(subject: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof StartupError) return fault(subject, error.message);
    throw error;
  }
}
