import type { describedAddresses } from '../rest/described-addresses.ts';

/** What the description leaves out, since it describes itself or is for browsers. */
const OTHERS = ['/graphql', '/graphiql', '/session', '/docs', '/openapi.json'];

/** The pattern of a path as a label: one of a fixed list, so that no id and no stranger's invention becomes one. */
export function routeLabel(addressOf: ReturnType<typeof describedAddresses>): (path: string) => string {
  return (path) =>
    addressOf(path)?.path ?? OTHERS.find((each) => path === each || path.startsWith(`${each}/`)) ?? 'other';
}
