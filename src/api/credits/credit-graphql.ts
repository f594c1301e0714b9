import { restType } from '../graphql/rest-types.ts';
import { query } from '../graphql/root-fields.ts';
import { creditsSchema, representCredits } from './credit-schemas.ts';
import type { CreditNeeds } from './credit-operations.ts';

/** Credits are numbers in REST, and whole ones in the contract. */
const Credits = restType('Credits', creditsSchema, (t) => ({
  remainingCreditsThisPeriod: t.exposeInt('remainingCreditsThisPeriod'),
  usedCreditsThisPeriod: t.exposeInt('usedCreditsThisPeriod'),
  reservedCreditsThisPeriod: t.exposeInt('reservedCreditsThisPeriod'),
}));

query('credits', {
  scope: 'read',
  type: Credits,
  nullable: true,
  description: 'Reads the credits of the current period. A response with data proves that the API key is valid.',
  handle: async ({ caller }, { ledger, now }: CreditNeeds) =>
    representCredits(await ledger.balance(caller.account.id, now())),
});
