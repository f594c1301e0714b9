/** The addresses that the dashboard answers, which the browser handles without the server. */
export const CLIENT_PATHS =
  /^\/(uploads(\/[^/]+)?|keys|webhooks|credits|audit|settings|accounts|usage|queue|sign-in)?\/?([?#]|$)/;
