/** What must not happen to work, as one sentence for each case. */
export interface Harm {
  /** Accepted work that failed, or lost its record, its original or its result */
  lost: string[];
  /** Work that was charged, stored or ordered twice, and credits that stay reserved */
  charged: string[];
  /** Work whose end no event reported */
  untold: string[];
  /** Anything else that is wrong */
  others: string[];
}

/** What a run did, and what it found. */
export interface Proof extends Harm {
  lifecycles: number;
  /** The longest time in which no work ended although some was open, seconds */
  stallSeconds: number;
  /** What happened besides, such as `kill of PostgreSQL`, with its number */
  events: Readonly<Record<string, number>>;
  /** Markdown below the table */
  details?: string;
}

export interface ProofOptions {
  /** Time after which nothing new begins, milliseconds; work that has begun then ends */
  ms: number;
  /** Lifecycles that begin in a second */
  perSecond: number;
  /** Whether Temporal is a cluster of two nodes, with two gateways */
  onCluster: boolean;
  /** Tag or commit of the older build of an upgrade; absent: the last release */
  from?: string;
  /** Receives one sentence about each step */
  report: (sentence: string) => void;
}

export const noHarm = (): Harm => ({ lost: [], charged: [], untold: [], others: [] });

/** Time that a busy machine may need to finish what has begun, milliseconds. */
export const FINISH_WITHIN_MS = 300_000;

/** Adds up the proofs of rounds. */
export function sumProofs(rounds: readonly Proof[]): Proof {
  const all = (of: keyof Harm): string[] => rounds.flatMap((round) => round[of]);
  const events: Record<string, number> = {};
  for (const [name, count] of rounds.flatMap((round) => Object.entries(round.events)))
    events[name] = (events[name] ?? 0) + count;
  return {
    ...{ lost: all('lost'), charged: all('charged'), untold: all('untold'), others: all('others') },
    lifecycles: rounds.reduce((sum, { lifecycles }) => sum + lifecycles, 0),
    stallSeconds: Math.max(0, ...rounds.map(({ stallSeconds }) => stallSeconds)),
    events: { rounds: rounds.length, ...events },
  };
}

/** Repeats a round until the time is over. The last one runs to its end. */
export async function inRounds(ms: number, round: () => Promise<Proof>): Promise<Proof> {
  const rounds: Proof[] = [];
  for (const until = performance.now() + ms; rounds.length === 0 || performance.now() < until;)
    rounds.push(await round());
  return sumProofs(rounds);
}

/** The row of a run in Markdown, with its head. @param seconds that it really took */
export function proofTable(name: string, seconds: number, proof: Proof): string {
  const { lifecycles, lost, charged, untold, others, stallSeconds, events } = proof;
  const happened = Object.entries(events).map(([event, count]) => `${count} ${event}`);
  const cells = {
    run: name,
    ran: `${Math.round(seconds / 60)} min`,
    lifecycles: lifecycles.toLocaleString('en'),
    events: happened.join(', '),
    lost: lost.length,
    'charged twice': charged.length,
    untold: untold.length,
    'other faults': others.length,
    'longest stall': `${stallSeconds.toFixed(0)} s`,
  };
  const lines = [Object.keys(cells), Object.keys(cells).map(() => '---'), Object.values(cells)];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The sentences of all kinds of harm, each with its kind. */
export const sentencesOf = ({ lost, charged, untold, others }: Harm): string[] =>
  Object.entries({ lost, charged, untold, others }).flatMap(([kind, each]) => each.map((words) => `${kind}: ${words}`));
