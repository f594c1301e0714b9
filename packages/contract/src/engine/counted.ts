/** Formats a number for users, also in the workflow sandbox: 12345 → `12,345` */
export const formatNumber = (value: number): string => value.toLocaleString('en');

/** Formats a count with its noun: `1 credit`, `46,315 bytes` */
export const counted = (count: number, one: string): string => `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`;
