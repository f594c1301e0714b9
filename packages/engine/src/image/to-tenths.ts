/** Rounds a figure of a note to one decimal, as `toFixed`. */
export const toTenths = (value: number): number => Number(value.toFixed(1));
