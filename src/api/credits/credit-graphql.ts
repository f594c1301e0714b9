import type { CreditsRepresentation } from '../../domain/representations/account.ts';
import { builder } from '../graphql/builder.ts';
import { representCredits } from './credit-schemas.ts';

const Credits = builder.objectRef<CreditsRepresentation>('Credits').implement({
  description: 'Credits of the account in the present period, a calendar month in UTC.',
  fields: (t) => ({
    remainingCreditsThisPeriod: t.exposeInt('remainingCreditsThisPeriod', {
      description: 'Credits left in the current period, without those reserved for running work.',
    }),
    usedCreditsThisPeriod: t.exposeInt('usedCreditsThisPeriod', { description: 'Credits used in the current period.' }),
    reservedCreditsThisPeriod: t.exposeInt('reservedCreditsThisPeriod', {
      description: 'Credits reserved for accepted work that has not finished.',
    }),
    periodStart: t.expose('periodStart', { type: 'DateTime', description: 'Start of the current period.' }),
    periodEnd: t.expose('periodEnd', {
      type: 'DateTime',
      description: 'End of the current period, itself not included.',
    }),
  }),
});

builder.queryFields((t) => ({
  credits: t.field({
    scope: 'read',
    type: Credits,
    nullable: true,
    description: 'Credits of the current period. An answer with data proves that the API key is valid.',
    resolve: async (_root, _args, { deps, caller }) =>
      representCredits(await deps.ledger.balance(caller.account.id, deps.now())),
  }),
}));
