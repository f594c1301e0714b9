import { builder } from '../graphql/builder.ts';
import { restType } from '../graphql/rest-types.ts';
import { creditsSchema, representCredits } from './credit-schemas.ts';

/** Credits are numbers in REST, and whole ones in the contract. */
const Credits = restType('Credits', creditsSchema, (t) => ({
  remainingCreditsThisPeriod: t.exposeInt('remainingCreditsThisPeriod'),
  usedCreditsThisPeriod: t.exposeInt('usedCreditsThisPeriod'),
  reservedCreditsThisPeriod: t.exposeInt('reservedCreditsThisPeriod'),
}));

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
