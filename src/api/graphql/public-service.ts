/** Marks names that the managed public service gives to what the contract names otherwise; both are offered. */
export const PUBLIC_SERVICE = 'Public service:';
