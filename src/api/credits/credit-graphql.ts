import type { CreditsRepresentation } from '../../domain/representations/account.ts';
import { builder } from '../graphql/builder.ts';
import { creditsSchema, representCredits } from './credit-schemas.ts';

const Credits = builder.objectRef<CreditsRepresentation>('Credits').implement({
  restSchema: creditsSchema,
  fields: (t) => ({
    remainingCreditsThisPeriod: t.exposeInt('remainingCreditsThisPeriod'),
    usedCreditsThisPeriod: t.exposeInt('usedCreditsThisPeriod'),
    reservedCreditsThisPeriod: t.exposeInt('reservedCreditsThisPeriod'),
    periodStart: t.expose('periodStart', { type: 'DateTime' }),
    periodEnd: t.expose('periodEnd', { type: 'DateTime' }),
  }),
});

builder.queryFields((t) => ({
  credits: t.field({
    scope: 'read',
    type: Credits,
    nullable: true,
    description: 'Reads the credits of the current period. A response with data proves that the API key is valid.',
    resolve: async (_root, _args, { deps, caller }) =>
      representCredits(await deps.ledger.balance(caller.account.id, deps.now())),
  }),
}));
