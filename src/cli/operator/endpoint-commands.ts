import type { Command } from 'commander';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import { asJson, findAccountId, type Json } from './account-commands.ts';

/** Adds `burnish endpoints`. @param run connects, and prints the given lines */
export function addEndpointCommands(
  program: Command,
  run: (work: (commands: AllOperatorCommands) => Promise<string[]>) => Promise<void>,
): void {
  const endpoints = program.command('endpoints').description('Nexus endpoints for workflows of other namespaces');

  endpoints
    .command('create')
    .description('let the workflows of a namespace use an account')
    .argument('<name>', 'name of the endpoint, such as shop')
    .requiredOption('--account <account>', 'id or name of the account')
    .requiredOption('--caller-namespace <namespace>', 'Temporal namespace of the calling workflows')
    .option('--json', 'print JSON')
    .action((name: string, { account, callerNamespace, json }: { account: string; callerNamespace: string } & Json) =>
      run(async (commands) => {
        const accountId = await findAccountId(commands, account);
        const { endpoint, command } = await commands.createEndpoint({ name, accountId, callerNamespace });
        if (json) return asJson({ endpoint, command });
        const made = `Workflows of the namespace ${callerNamespace} can call the endpoint ${name}, for ${accountId}.`;
        return [made, ...refused('create', command)];
      }),
    );

  endpoints
    .command('list')
    .description('list the endpoints with their accounts')
    .option('--json', 'print JSON')
    .action(({ json }: Json) =>
      run(async (commands) => {
        const all = await commands.listEndpoints();
        if (json) return asJson(all);
        return all.map(({ name, accountId, callerNamespace }) => `${name}  ${accountId}  ${callerNamespace}`);
      }),
    );

  endpoints
    .command('delete')
    .description('refuse further operations of an endpoint; accepted operations continue')
    .argument('<name>', 'name of the endpoint')
    .option('--json', 'print JSON')
    .action((name: string, { json }: Json) =>
      run(async (commands) => {
        const { command } = await commands.deleteEndpoint(name);
        return json ? asJson({ name, command }) : [`Deleted ${name}.`, ...refused('delete', command)];
      }),
    );
}

const refused = (verb: string, command: string | null): string[] =>
  command === null
    ? []
    : [`The Temporal server did not ${verb} the endpoint. Run this command as its administrator:`, `  ${command}`];
