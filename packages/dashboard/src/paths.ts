export const CLIENT_PATHS =
  /^\/(uploads(\/[^/]+)?|batches(\/[^/]+)?|looks|keys|webhooks|credits|audit|settings|accounts(\/[^/]+)?|usage|queue|sign-in)?\/?([?#]|$)/;
