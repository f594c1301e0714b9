import { InvalidArgumentError, type Command } from 'commander';

/** The options that locate the instance; the composition root connects with them. */
export interface ConnectionOptions {
  url?: string;
  apiKey?: string;
}

/** Adds `--url` and `--api-key`. @param otherwise the instance where neither `--url` nor BURNISH_URL names one */
export function addConnectionOptions(command: Command, otherwise = 'the local instance'): Command {
  return command
    .option('--url <address>', `URL of an instance; default: BURNISH_URL or ${otherwise}`, address)
    .option('--api-key <key>', 'API key of the account');
}

function address(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('Expected an http or https URL.');
  return text.replace(/\/+$/, '');
}
