/** The redirect of the gateway into the Temporal Web UI, and no other address of this or another origin */
const WAY = /^\/temporal-ui(\/[^?#]*)?(\?[^#]*)?$/;

let isLeaving = false;

/**
 * Returns to the Temporal Web UI after a sign-in that started there.
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
