import { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { addListenCommand } from '../../src/cli/listen/listen-command.ts';

/** The URL that `listen` forwards to, as the command line gives it. */
async function forwardsTo(text: string): Promise<string> {
  let url = '';
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addListenCommand(program, async ({ forwardTo }) => void (url = forwardTo));
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['node', 'burnish', 'listen', '--forward-to', text]);
  return url;
}

test.each([
  ['http://localhost:8080/hook', 'http://localhost:8080/hook'],
  ['https://localhost/hook', 'https://localhost/hook'],
  ['localhost:8080/hook', 'http://localhost:8080/hook'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080/'],
])('listen forwards for %s to %s', async (text, url) => {
  expect(await forwardsTo(text)).toBe(url);
});

test.each(['ftp://x', 'file:///etc/passwd', 'ws://localhost/', 'http://'])(
  'listen refuses to forward to %s',
  async (text) => {
    await expect(forwardsTo(text)).rejects.toThrow('Expected an http or https URL.');
  },
);
