import type { Cluster } from '../../cluster/cluster.ts';
import type { Member } from '../../cluster/member.ts';
import { until } from '../../support/until.ts';

export const PARTS = ['gateways', 'workflow workers', 'engine workers'] as const;
export type Part = (typeof PARTS)[number];

/** Program and first arguments of a build; undefined: the build of this checkout */
export type Build = readonly string[] | undefined;

/** Two processes of each part, which are replaced one after the other. */
export interface Fleet {
  members: Record<Part, Member[]>;
  /** Starts two more processes of a part. */
  begin(part: Part, build: Build): Promise<void>;
  /** Ends the two oldest processes of a part. */
  end(part: Part): Promise<void>;
  /** Replaces each process of a part by one of another build, as an orchestrator does: the new one starts first. */
  roll(part: Part, build: Build): Promise<void>;
}

const OF_EACH = 2;

/** @param faults receives a sentence about each process that did not end in order */
export async function startFleet(cluster: Cluster, build: Build, faults: string[]): Promise<Fleet> {
  const start = async (part: Part, own: Build): Promise<Member> => {
    if (part === 'workflow workers') return cluster.startMain(own);
    if (part === 'engine workers') return cluster.startEngine(undefined, own);
    const gateway = await cluster.startGateway(own);
    const { url } = gateway;
    await until(async () => ((await fetch(`${url}/healthz`)).ok ? true : undefined));
    return gateway;
  };
  const members: Fleet['members'] = { gateways: [], 'workflow workers': [], 'engine workers': [] };
  // The first process makes the account.
  for (const part of PARTS) {
    for (let index = 0; index < OF_EACH; index += 1) members[part].push(await start(part, build));
  }
  await until(async () => ((await fetch(`${cluster.url}/readyz`)).ok ? true : undefined));
  const stop = async (member: Member): Promise<void> => {
    if (!member.running()) faults.push(`${member.name} ended by itself:\n${member.output().slice(-2_000)}`);
    const code = await member.stop();
    if (code !== 0) faults.push(`${member.name} ended with code ${code}:\n${member.output().slice(-2_000)}`);
  };
  return {
    members,
    async begin(part, next) {
      for (let index = 0; index < OF_EACH; index += 1) members[part].push(await start(part, next));
    },
    async end(part) {
      for (const member of members[part].splice(0, OF_EACH)) await stop(member);
    },
    async roll(part, next) {
      for (const [index, member] of members[part].entries()) {
        members[part][index] = await start(part, next);
        await stop(member);
      }
    },
  };
}
