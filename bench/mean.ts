/** Returns the mean of values; NaN of none. */
export const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
