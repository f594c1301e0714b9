/** Removes the token of a sign-in link from the address, so that neither the screen nor the history contains it. */
export function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return token;
}
