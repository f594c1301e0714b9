import type { Command } from 'commander';
import { ENDPOINT_SCOPES, type EndpointScope, type NexusEndpoint, TOKEN_HEADER } from '@burnish/contract';
import { findAccountId } from './account-commands.ts';
import { answer, type Run } from './answer.ts';
import { parseScopes } from './parse-scopes.ts';

/** Adds `burnish endpoints`. */
export function addEndpointCommands(program: Command, run: Run): void {
  const endpoints = program.command('endpoints').description('Nexus endpoints for workflows of other namespaces');

  answer(
    endpoints
      .command('create')
      .description('let workflows of other namespaces use an account, with a token that is shown once')
      .argument('<name>', 'name of the endpoint, such as shop')
      .requiredOption('--account <account>', 'id or name of the account')
      .option(
        '--scope <scope...>',
        `scopes: ${ENDPOINT_SCOPES.join(', ')}; default: enhance`,
        parseScopes(ENDPOINT_SCOPES),
      ),
    run,
    async (commands, name: string, { account, scope }: { account: string; scope?: EndpointScope[] }) => {
      const accountId = await findAccountId(commands, account);
      const made = await commands.createEndpoint({ name, accountId, ...(scope && { scopes: scope }) });
      const { endpoint, token, command } = made;
      const may = `Workflows with the token of the endpoint ${name} may ${endpoint.scopes.join(', ')}, for ${accountId}.`;
      return {
        json: made,
        lines: [may, token === null ? knownEndpoint(name) : shown(token), ...refused('create', command)],
      };
    },
  );

  answer(
    endpoints
      .command('rotate')
      .description('replace the token of an endpoint; the previous one remains valid for a week')
      .argument('<name>', 'name of the endpoint')
      .option('--at-once', 'end the previous token now, for a leaked one', false),
    run,
    async (commands, name: string, { atOnce }: { atOnce: boolean }) => {
      const { endpoint, token } = await commands.rotateEndpointToken(name, atOnce);
      const { previousTokenUntil: until } = endpoint;
      const previous = until === null ? [] : [`The previous token is valid until ${until}.`];
      return { json: { endpoint, token }, lines: [shown(token), ...previous] };
    },
  );

  answer(
    endpoints
      .command('list')
      .description('list the endpoints with their accounts, scopes and the times of their tokens'),
    run,
    async (commands) => {
      const all = await commands.listEndpoints();
      return { json: all, lines: all.map(listed) };
    },
  );

  answer(
    endpoints
      .command('delete')
      .description('refuse further operations of an endpoint; accepted operations continue')
      .argument('<name>', 'name of the endpoint'),
    run,
    async (commands, name: string) => {
      const { command } = await commands.deleteEndpoint(name);
      return { json: { name, command }, lines: [`Deleted ${name}.`, ...refused('delete', command)] };
    },
  );
}

const shown = (token: string): string => `Its token, for the operation header ${TOKEN_HEADER}: ${token}`;

const knownEndpoint = (name: string): string =>
  `The endpoint exists, and its token was shown once. For a new one, run: burnish endpoints rotate ${name}`;

function listed({ name, accountId, scopes: may, tokenCreatedAt, previousTokenUntil }: NexusEndpoint): string {
  const previous = previousTokenUntil === null ? '' : `, previous one until ${previousTokenUntil}`;
  return `${name}  ${accountId}  may ${may.join(',')}  token of ${tokenCreatedAt}${previous}`;
}

const refused = (verb: string, command: string | null): string[] =>
  command === null
    ? []
    : [`The Temporal server did not ${verb} the endpoint. Run this command as its administrator:`, `  ${command}`];
