/** Name of a component of the OpenAPI document: `NOT_FOUND` as `NotFound`, and `API key id` as `ApiKeyId`. */
export const componentName = (words: string): string =>
  words.toLowerCase().replace(/(?:^|[_ ])(\w)/g, (_, letter: string) => letter.toUpperCase());
