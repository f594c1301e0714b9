/** Marks names of the managed public service that differ from the contract's names; the schema has both. */
export const PUBLIC_SERVICE = 'Public service:';
