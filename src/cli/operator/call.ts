import { request } from 'node:http';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import { COMMAND_ARGUMENTS } from '../../api/operator/command-arguments.ts';
import { StartupError } from '../../domain/startup-error.ts';
import { isServed, operatorSocketPath } from '../../runtime/operator-socket.ts';

/** The commands of the instance that runs on a data folder, which throw StartupError; undefined when none runs. */
export async function callOperator(dataDir: string): Promise<AllOperatorCommands | undefined> {
  const path = operatorSocketPath(dataDir);
  if (path === undefined || !(await isServed(path))) return undefined;
  const names = Object.keys(COMMAND_ARGUMENTS);
  const calls = names.map((name) => [name, (...args: unknown[]) => post(path, name, args)] as const);
  return Object.fromEntries(calls) as unknown as AllOperatorCommands;
}

function post(path: string, name: string, args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: path, path: `/${name}`, method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const body = JSON.parse(text) as unknown;
        if (response.statusCode === 200) resolve(body);
        else reject(new StartupError((body as { message: string }).message));
      });
      response.on('error', reject);
    });
    outgoing.on('error', (cause) =>
      reject(new StartupError('The instance has stopped. Repeat the command.', { cause })),
    );
    outgoing.end(JSON.stringify(args));
  });
}
