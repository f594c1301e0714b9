/** A link from the terminal, one that was asked for: long enough to walk to the browser. Milliseconds. */
export const LINK_MS = 15 * 60_000;
/** The one of the first start, which nobody may be waiting for. */
export const FIRST_LINK_MS = 60 * 60_000;

/**
 * The address that signs in once. The token stands behind the #, which browsers keep to themselves: it reaches neither a log
 * nor whoever looks at links before people do.
 */
export const signInUrl = (publicUrl: string, token: string): string => `${publicUrl}/sign-in#token=${token}`;
