import { asc, eq } from 'drizzle-orm';
import { Failure, type Plan } from '@burnish/contract';
import type { Database, Orm } from '../database.ts';
import { plans } from '../schema/accounts.ts';

export type Plans = ReturnType<typeof createPlans>;

/**
 * The plans of an instance. A change applies from the next request on, since each request reads the account together
 * with its plan.
 */
export function createPlans({ orm }: Pick<Database, 'orm'>) {
  return {
    list: (): Promise<Plan[]> => orm.select().from(plans).orderBy(asc(plans.id)),

    /** Adds or changes a plan. @returns the previous plan, undefined for a new one, and the present plan */
    async put(given: Plan): Promise<{ before: Plan | undefined; after: Plan }> {
      const [before] = await orm.select().from(plans).where(eq(plans.id, given.id)).for('update');
      const { id: _id, ...facts } = given;
      const [after] = await orm
        .insert(plans)
        .values(given)
        .onConflictDoUpdate({ target: plans.id, set: facts })
        .returning();
      return { before, after: after! };
    },
  };
}

/** @throws Failure BAD_USER_INPUT for an unknown plan; the message lists the existing plans */
export async function requirePlan(orm: Orm, id: string): Promise<Plan> {
  const all = await orm.select().from(plans).orderBy(asc(plans.id));
  const plan = all.find((each) => each.id === id);
  if (plan !== undefined) return plan;
  const detail = `There is no plan ${id}. Choose one of ${all.map((each) => each.id).join(', ')}.`;
  throw new Failure('BAD_USER_INPUT', { field: 'plan', detail });
}
