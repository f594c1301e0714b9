/** The option of a command that prints JSON in place of words. */
export const JSON_OPTION = ['--json', 'print one line of JSON'] as const;

export interface JsonOutput {
  json?: boolean;
}

export const asJson = (value: unknown): string[] => [JSON.stringify(value)];
