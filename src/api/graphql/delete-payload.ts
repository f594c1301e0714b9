import { builder } from './builder.ts';
import { PUBLIC_SERVICE } from './public-service.ts';

export const DeletePayload = builder.objectRef<{ id: string }>('DeletePayload').implement({
  description: 'A deleted record.',
  fields: (t) => ({
    deletedId: t.exposeID('id', { description: 'Id of the deleted record.' }),
    success: t.boolean({ description: `${PUBLIC_SERVICE} always true. A failure is an error.`, resolve: () => true }),
  }),
});
