import type { CreditsRepresentation } from '../../domain/representations/account.ts';
import { builder } from '../graphql/builder.ts';

export const Credits = builder.objectRef<CreditsRepresentation>('Credits').implement({
  description: 'What the account has to spend in the present period, a calendar month in UTC.',
  fields: (t) => ({
    remainingCreditsThisPeriod: t.exposeInt('remainingCreditsThisPeriod', {
      description: 'Credits left in the current period, after what is reserved for running work.',
    }),
    usedCreditsThisPeriod: t.exposeInt('usedCreditsThisPeriod', { description: 'Credits used in the current period.' }),
    reservedCreditsThisPeriod: t.exposeInt('reservedCreditsThisPeriod', {
      description: 'Credits set aside for work that is accepted and not finished.',
    }),
    periodStart: t.expose('periodStart', { type: 'DateTime', description: 'Start of the current period.' }),
    periodEnd: t.expose('periodEnd', {
      type: 'DateTime',
      description: 'End of the current period, itself not included.',
    }),
  }),
});
