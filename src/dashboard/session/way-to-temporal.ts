/** The gateway's way into the Web UI of Temporal, and no other address of this or another origin */
const WAY = /^\/temporal-ui(\/[^?#]*)?$/;

let isLeaving = false;

/**
 * Goes on to the Web UI of Temporal when a person came from there to sign in.
 * @returns whether the page is being left
 */
export function leaveForTemporal(): boolean {
  const to = new URLSearchParams(location.search).get('to') ?? '';
  if (!WAY.test(to)) return false;
  // A second request would end the first, which the browser already follows.
  if (!isLeaving) location.replace(to);
  isLeaving = true;
  return true;
}
