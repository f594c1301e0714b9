/**
 * Id of an engine activity within the workflow of its upload. The gateway knows by it to which enhancement the heartbeats of a
 * running activity belong.
 * @param step such as `enhance`
 */
export function engineActivityId(enhancementId: string, step: string): string {
  return `${enhancementId}/${step}`;
}

export function isActivityOf(enhancementId: string, activityId: string): boolean {
  return activityId.startsWith(`${enhancementId}/`);
}
