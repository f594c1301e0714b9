export const CLIENT_PATHS =
  /^\/(uploads(\/[^/]+)?|batches(\/[^/]+)?|keys|webhooks|credits|audit|settings|accounts(\/[^/]+)?|usage|queue|sign-in)?\/?([?#]|$)/;
