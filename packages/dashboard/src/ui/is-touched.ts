/** Whether the device has no mouse, so that words about dropping files and about keys would not fit. */
export const isTouched = (): boolean => matchMedia('(hover: none) and (pointer: coarse)').matches;
