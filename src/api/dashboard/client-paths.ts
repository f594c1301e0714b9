/** Addresses that the dashboard's page answers by itself, in the browser: what it is sent for each of them is the same. */
const CLIENT_PATHS = /^\/(|uploads|uploads\/[^/]+|keys|webhooks|credits|audit|settings|sign-in)\/?$/;

export const isClientPath = (path: string): boolean => CLIENT_PATHS.test(path);
