/** Formats a number for users, also in the workflow sandbox: 12345 → `12,345` */
export const formatNumber = (value: number): string => value.toLocaleString('en');

/** Formats a count with its noun: `1 credit`, `46,315 bytes` */
export const counted = (count: number, one: string): string => `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`;

/** Formats a range of credits: `0 to 1 credits`, and `4 credits` for a range of one number */
export const creditRange = (min: number, max: number): string =>
  min === max ? counted(max, 'credit') : `${formatNumber(min)} to ${formatNumber(max)} credits`;
