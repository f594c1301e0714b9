/** Receives the completed share of a step, 0 to 1. */
export type OnPart = ((part: number) => void) | undefined;

/** Reports a step as the section from `from` to `to` of a larger one. */
export const section =
  (onPart: OnPart, from: number, to: number) =>
  (part: number): void =>
    onPart?.(from + part * (to - from));
