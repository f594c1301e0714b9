export const CLIENT_PATHS =
  /^\/(uploads(\/[^/]+)?|keys|webhooks|credits|audit|settings|accounts(\/[^/]+)?|usage|queue|sign-in)?\/?([?#]|$)/;
