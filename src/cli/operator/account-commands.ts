import { InvalidArgumentError, type Command } from 'commander';
import {
  ACCOUNT_TIERS,
  type AccountTier,
  type Plan,
  counted,
  formatNumber,
  type OperatorAccountRepresentation,
} from '@burnish/contract';
import { UsageError } from '../command-error.ts';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import { topUpLines } from './format.ts';
import { parseByteCount, parseNonNegativeInteger, parsePositiveInteger } from '../number-arguments.ts';
import { answer, type Answer, type Run } from './answer.ts';

interface Limits {
  creditsPerMonth?: number | null;
  requestsPerMinute?: number | null;
  jobs?: number | null;
  storage?: number | null;
  minRetention?: number;
  maxRetention?: number;
  tiers?: AccountTier[] | null;
  name?: string;
}

const PAGE = 500;

/** Adds `burnish accounts` and `burnish plans`. */
export function addAccountCommands(program: Command, run: Run): void {
  const accounts = program.command('accounts').description('accounts of this instance');

  answer(
    withLimits(accounts.command('create').description('create an account with its first API key, shown once'))
      .argument('<name>', 'name of the account')
      .option('--plan <plan>', 'plan of the account', 'FREE'),
    run,
    async (commands, name: string, { plan, ...limits }: Limits & { plan: string }) => {
      const { account, key } = await commands.createAccount({ ...toSettings(limits), name, plan });
      return { json: { account, apiKey: key }, lines: [...accountLines(account), `API key     ${key}`] };
    },
  );

  answer(accounts.command('list').description('list the accounts, newest first'), run, async (commands) => {
    const all = await everyAccount(commands);
    return { json: all, lines: all.map(listed) };
  });

  const one = (name: string, description: string): Command =>
    accounts.command(name).description(description).argument('<account>', 'id or name of the account');
  const shown = (account: OperatorAccountRepresentation): Answer => ({ json: account, lines: accountLines(account) });

  answer(one('show', 'show an account'), run, async (commands, account: string) =>
    shown(await commands.showAccount(await findAccountId(commands, account))),
  );
  answer(
    one('suspend', 'suspend an account: refuse its requests; accepted work continues'),
    run,
    async (commands, account: string) => shown(await commands.suspendAccount(await findAccountId(commands, account))),
  );
  answer(one('resume', 'resume a suspended account'), run, async (commands, account: string) =>
    shown(await commands.resumeAccount(await findAccountId(commands, account))),
  );

  answer(
    withLimits(one('plan', 'change the name, plan or limits of an account'))
      .argument('[plan]', 'the new plan')
      .option('--name <name>', 'its new name'),
    run,
    async (commands, account: string, plan: string | undefined, limits: Limits) => {
      const change = { ...toSettings(limits), ...(plan === undefined ? {} : { plan }) };
      return shown(await commands.changeAccount(await findAccountId(commands, account), change));
    },
  );

  answer(
    one('credits', 'add credits to this period, once for each reference; work that waits for credits continues')
      .argument('<credits>', 'whole number, 1 or more', parsePositiveInteger)
      .requiredOption('--reference <text>', 'reference of the top-up, such as an invoice number'),
    run,
    async (commands, account: string, credits: number, { reference }: { reference: string }) => {
      const done = await commands.grantCredits(await findAccountId(commands, account), { credits, reference });
      return { json: done, lines: topUpLines(credits, reference, done) };
    },
  );

  answer(
    one('delete', 'delete an account with its keys and files; the ledger, the audit log and a receipt remain').option(
      '--yes',
      'confirm the deletion',
    ),
    run,
    async (commands, account: string, { yes }: { yes?: true }) => {
      const id = await findAccountId(commands, account);
      if (yes !== true) {
        const { name } = await commands.showAccount(id);
        throw new UsageError(`This command deletes ${name} (${id}) with all its files. Repeat it with --yes.`);
      }
      return shown(await commands.deleteAccount(id));
    },
  );

  const plans = program.command('plans').description('plans of accounts');
  answer(plans.command('list').description('list the plans'), run, async (commands) => {
    const all = await commands.listPlans();
    return { json: all, lines: all.map(planLine) };
  });
  answer(
    plans
      .command('set')
      .description('create or change a plan; absent options keep their values')
      .argument('<id>', 'id of the plan, such as BUSINESS')
      .option('--name <name>', 'display name')
      .option('--dpi <n>', 'highest resolution of PDF images', parsePositiveInteger)
      .option('--credits <n>', 'credits each calendar month', parseNonNegativeInteger)
      .option('--requests-per-minute <n>', 'requests a minute of one account', parsePositiveInteger)
      .option('--jobs <n>', 'enhancements that may wait or run at the same time', parsePositiveInteger)
      .option('--weight <n>', 'weight of an account in a full queue', parsePositiveInteger)
      .option('--storage <size>', 'bytes that an account may store, such as 500GB', parseByteCount),
    run,
    async (commands, id: string, given: PlanOptions) => {
      const known = (await commands.listPlans()).find((plan) => plan.id === id);
      const plan = await commands.putPlan(toPlan(id, known, given));
      return { json: plan, lines: [planLine(plan)] };
    },
  );
}

interface PlanOptions {
  name?: string;
  dpi?: number;
  credits?: number;
  requestsPerMinute?: number;
  jobs?: number;
  storage?: number;
  weight?: number;
}

/** @throws UsageError for a new plan with a number missing */
function toPlan(id: string, known: Plan | undefined, given: PlanOptions): Plan {
  const plan = {
    id,
    name: given.name ?? known?.name ?? id,
    maxResolution: given.dpi ?? known?.maxResolution,
    creditsPerPeriod: given.credits ?? known?.creditsPerPeriod,
    requestsPerMinute: given.requestsPerMinute ?? known?.requestsPerMinute,
    jobsAtOnce: given.jobs ?? known?.jobsAtOnce,
    fairnessWeight: given.weight ?? known?.fairnessWeight,
    maxStoredBytes: given.storage ?? known?.maxStoredBytes,
  };
  if (Object.values(plan).includes(undefined)) {
    const all = '--dpi, --credits, --requests-per-minute, --jobs, --weight and --storage';
    throw new UsageError(`The plan ${id} is new. Set ${all}.`);
  }
  return plan as Plan;
}

function withLimits(command: Command): Command {
  return command
    .option('--credits-per-month <n>', 'credits each calendar month, or `plan`', numberOrPlan)
    .option('--requests-per-minute <n>', 'requests a minute, or `plan`', numberOrPlan)
    .option('--jobs <n>', 'enhancements that may wait or run at the same time, or `plan`', numberOrPlan)
    .option('--storage <size>', 'bytes that it may store, such as 500GB, or `plan`', parseByteCountOrPlan)
    .option('--min-retention <days>', 'shortest retention that the account may choose', parsePositiveInteger)
    .option('--max-retention <days>', 'longest retention that the account may choose', parsePositiveInteger)
    .option('--tiers <list>', 'permitted tiers, separated by commas, or `all`', tiers);
}

function toSettings({
  creditsPerMonth,
  requestsPerMinute,
  jobs,
  storage,
  minRetention,
  maxRetention,
  tiers,
  name,
}: Limits) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(creditsPerMonth === undefined ? {} : { creditsPerPeriod: creditsPerMonth }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(jobs === undefined ? {} : { jobsAtOnce: jobs }),
    ...(storage === undefined ? {} : { maxStoredBytes: storage }),
    ...(minRetention === undefined ? {} : { minRetentionDays: minRetention }),
    ...(maxRetention === undefined ? {} : { maxRetentionDays: maxRetention }),
    ...(tiers === undefined ? {} : { allowedTiers: tiers }),
  };
}

async function everyAccount(commands: AllOperatorCommands): Promise<OperatorAccountRepresentation[]> {
  const all: OperatorAccountRepresentation[] = [];
  for (let after: string | undefined; ; after = all.at(-1)!.id) {
    const page = await commands.listAccounts({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

export async function findAccountId(commands: AllOperatorCommands, given: string): Promise<string> {
  if (given.startsWith('acc_')) return given;
  const named = (await everyAccount(commands)).filter(({ name, status }) => name === given && status !== 'DELETED');
  if (named.length === 1) return named[0]!.id;
  throw new UsageError(`No account has the name ${given}. List the accounts to find the name.`);
}

const listed = ({
  id,
  name,
  plan,
  status,
  openEnhancements,
  remainingCreditsThisPeriod,
}: OperatorAccountRepresentation): string =>
  `${id}  ${plan.padEnd(10)} ${status.padEnd(9)}  ${openEnhancements} open  ${remainingCreditsThisPeriod ?? '-'} credits left  ${name}`;

const planLine = ({ id, name, ...facts }: Plan): string =>
  `${id.padEnd(10)} ${facts.maxResolution} DPI  ${formatNumber(facts.creditsPerPeriod)} credits a month  ${formatNumber(facts.requestsPerMinute)} requests a minute  ${formatNumber(facts.jobsAtOnce)} jobs  weight ${facts.fairnessWeight}  ${formatNumber(facts.maxStoredBytes)} bytes  ${name}`;

function accountLines(account: OperatorAccountRepresentation): string[] {
  const { effective, deletion } = account;
  return [
    `Account     ${account.id}`,
    `Name        ${account.name}`,
    `Status      ${account.status}`,
    `Plan        ${account.plan}`,
    ...(account.testOf === null ? [] : [`Test of     ${account.testOf}`]),
    `Credits     ${formatNumber(effective.creditsPerPeriod)} a month; ${account.remainingCreditsThisPeriod ?? 'none'} left`,
    `Requests    ${formatNumber(effective.requestsPerMinute)} a minute`,
    `Jobs        ${account.openEnhancements} of ${formatNumber(effective.jobsAtOnce)} at the same time`,
    `Storage     ${formatNumber(account.storedBytes)} of ${formatNumber(effective.maxStoredBytes)} bytes`,
    `Retention   ${account.retentionDays} days, of ${account.minRetentionDays} to ${account.maxRetentionDays}`,
    `Tiers       ${account.allowedTiers?.join(', ') ?? 'all'}`,
    ...(deletion === null
      ? []
      : deletion.finishedAt === null
        ? [`Deletion    requested ${deletion.orderedAt}; files are being deleted`]
        : [
            `Deletion    finished ${deletion.finishedAt}: ${counted(deletion.uploads, 'upload')}, ${counted(deletion.results, 'result')}, ${counted(deletion.bytes, 'byte')}`,
          ]),
  ];
}

function numberOrPlan(text: string): number | null {
  return text === 'plan' ? null : parseNonNegativeInteger(text);
}

function parseByteCountOrPlan(text: string): number | null {
  return text === 'plan' ? null : parseByteCount(text);
}

function tiers(text: string): AccountTier[] | null {
  if (text === 'all') return null;
  const given = text.toUpperCase().split(',');
  const unknown = given.find((tier) => !(ACCOUNT_TIERS as readonly string[]).includes(tier));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`Expected ${ACCOUNT_TIERS.join(', ')} or all, but received ${unknown}.`);
  return given as AccountTier[];
}
