import { describe, expect, it } from '@jest/globals';
import { chosenPages, type Enhancement, type PageChoices } from '@burnish/contract';
import type { Input } from '../../src/activities/inputs/schemas.ts';
import type { EnhancementRequest } from '../../src/domain/enhancement/new-enhancement.ts';
import {
  approveEnhancement,
  cancelEnhancement,
  deleteUpload,
  rejectEnhancement,
  uploadWorkflowId,
} from '../../src/domain/temporal/workflow-interface.ts';
import { ANALYSIS } from './scripted-provider.ts';
import { useLifecycle } from './use-lifecycle.ts';

const PAGES = [1, 2, 3];

/** One credit for each page that is cleaned and not paid: neither kept nor dropped. */
function price({ parameters, paidExcept = [] }: Pick<Input<'estimate'>, 'parameters' | 'paidExcept'>): number {
  const chosen = chosenPages(parameters.pages);
  const isPaid = (page: number): boolean => paidExcept.some((except) => !except.includes(page));
  return PAGES.filter((page) => !chosen.includes(page) && !isPaid(page)).length;
}

const keep = (...pages: number[]): PageChoices => Object.fromEntries(pages.map((page) => [page, 'ORIGINAL']));

// Without a cache, every step replays the history, as after a restart.
const lifecycle = useLifecycle({ worker: { maxCachedWorkflows: 0 } });

async function cleanable(content?: string): Promise<string> {
  const { provider } = lifecycle;
  const statistics = { ...ANALYSIS.statistics, pages: PAGES.length };
  Object.assign(provider.script, {
    analyze: () => Promise.resolve({ ...ANALYSIS, statistics }),
    estimate: (job: Input<'estimate'>) => Promise.resolve(price(job)),
    credits: price,
  });
  const { id } = await lifecycle.start({ mimetype: 'application/pdf', ...(content !== undefined && { content }) });
  await lifecycle.uploadReaches(id, 'METADATA_ANALYZED_SUCCESSFULLY');
  return id;
}

const order = (
  uploadId: string,
  pages: PageChoices | null,
  more: Partial<Omit<EnhancementRequest, 'destination'>> = {},
): Promise<string> => lifecycle.order(uploadId, { ...more, parameters: { mode: 'DOCUMENT', ...(pages && { pages }) } });

const finished = (id: string): Promise<Enhancement> => lifecycle.enhancementReaches(id, 'FINISHED');

const charge = async (id: string): Promise<unknown[]> => {
  const { estimatedCredits, chargedCredits, basedOn, reusedFrom } = await finished(id);
  return [estimatedCredits, chargedCredits, basedOn, reusedFrom];
};

describe('pages that the result lacks', () => {
  const drop: PageChoices = { 2: 'DROP' };

  it('need an approval at any price, and are said before it', async () => {
    const upload = await cleanable();
    const held = await order(upload, drop);
    const waiting = await lifecycle.enhancementReaches(held, 'AWAITING_APPROVAL');
    expect(waiting).toMatchObject({ waitingFor: 'approval', estimatedCredits: 2, maxCredits: null });
    expect(lifecycle.provider.calls).not.toContain(`enhance ${held}`);
    await lifecycle.command(approveEnhancement, held);
    expect((await finished(held)).chargedCredits).toBe(2);
  });

  it('are never dropped after a rejection, and nothing is charged', async () => {
    const upload = await cleanable();
    const held = await order(upload, drop, { maxCredits: 100 });
    await lifecycle.enhancementReaches(held, 'AWAITING_APPROVAL');
    await lifecycle.command(rejectEnhancement, held);
    expect(await lifecycle.settled(held)).toMatchObject({ status: 'ERROR', errorCode: 'APPROVAL_REJECTED' });
    expect(lifecycle.provider.calls).not.toContain(`enhance ${held}`);
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0 });
  });

  it('are charged once by equal orders that wait at the same time, and a repetition shares their result', async () => {
    const upload = await cleanable();
    const [one, two] = [await order(upload, drop), await order(upload, drop)] as const;
    for (const each of [one, two]) await lifecycle.enhancementReaches(each, 'AWAITING_APPROVAL');
    await lifecycle.command(approveEnhancement, one);
    expect(await charge(one)).toEqual([2, 2, null, null]);
    // The other waits until somebody approves it, too.
    expect(await lifecycle.enhancementReaches(two, 'AWAITING_APPROVAL')).toMatchObject({ chargedCredits: null });
    await lifecycle.command(approveEnhancement, two);
    expect((await charge(two)).slice(1)).toEqual([0, null, one]);
    expect((await charge(await order(upload, drop))).slice(1)).toEqual([0, null, two]);
    expect(lifecycle.provider.calls.filter((call) => call === `enhance ${two}`)).toEqual([]);
  });

  it('are not dropped by an order that is cancelled while it waits', async () => {
    const upload = await cleanable();
    const held = await order(upload, drop);
    await lifecycle.enhancementReaches(held, 'AWAITING_APPROVAL');
    await lifecycle.command(cancelEnhancement, held);
    expect(await lifecycle.settled(held)).toMatchObject({ status: 'CANCELLED', chargedCredits: null });
    expect(await lifecycle.command(approveEnhancement, held)).toBeNull();
    expect(lifecycle.provider.calls).not.toContain(`enhance ${held}`);
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0 });
  });

  it('cannot be all', async () => {
    const upload = await cleanable();
    await expect(order(upload, { 1: 'DROP', 2: 'DROP', 3: 'DROP' })).rejects.toMatchObject({
      cause: { message: 'pdf.pages drops all pages. Remove DROP from one of them.' },
    });
  });
});

describe('pages that stay as they are', () => {
  it('cost nothing again once all pages are paid, and the ledger has an entry of 0 credits', async () => {
    const upload = await cleanable();
    const whole = await order(upload, null);
    expect(await charge(whole)).toEqual([3, 3, null, null]);
    const { remaining } = await lifecycle.balance();
    const one = await order(upload, keep(2));
    expect(await charge(one)).toEqual([0, 0, whole, null]);
    expect(await charge(await order(upload, keep(1, 2)))).toEqual([0, 0, whole, null]);
    expect(await charge(await order(upload, keep(2)))).toEqual([0, 0, null, one]);
    expect(await lifecycle.balance()).toMatchObject({ remaining, reserved: 0 });
    const { items } = await lifecycle.ledger.lines(lifecycle.account.id, { limit: 100 });
    expect(items.filter(({ enhancementId }) => enhancementId === one)).toMatchObject([
      {
        basedOn: whole,
        change: 0,
        entries: [
          { kind: 'reserve', credits: 0 },
          { kind: 'capture', credits: 0 },
        ],
      },
    ]);
  });

  it('cost nothing in another upload of the same file, unless the first is deleted', async () => {
    const [first, second, third] = [await cleanable('same'), await cleanable('same'), await cleanable('same')];
    const whole = await order(first, null);
    expect(await charge(whole)).toEqual([3, 3, null, null]);
    const one = await order(second, keep(2));
    expect(await charge(one)).toEqual([0, 0, whole, null]);
    for (const id of [first, second])
      await lifecycle.client.workflow.getHandle(uploadWorkflowId(id)).executeUpdate(deleteUpload);
    expect(await charge(await order(third, keep(2)))).toEqual([2, 2, null, null]);
  });

  it('are paid when a later order cleans them, and other pages are not paid again', async () => {
    const upload = await cleanable();
    const two = await order(upload, keep(3));
    expect(await charge(two)).toEqual([2, 2, null, null]);
    const third = await order(upload, keep(1, 2));
    expect(await charge(third)).toEqual([1, 1, two, null]);
    expect(await charge(await order(upload, null))).toEqual([0, 0, two, null]);
  });

  it('are paid once by two orders at the same time', async () => {
    const upload = await cleanable();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    lifecycle.provider.script.enhance = () => gate;
    const first = await order(upload, keep(3));
    await lifecycle.untilCalled('enhance', first);
    const others = [await order(upload, keep(1)), await order(upload, keep(1, 2)), await order(upload, null)];
    const otherParameters = await lifecycle.order(upload, { parameters: { mode: 'DOCUMENT', compact: false } });
    await lifecycle.untilCalled('enhance', otherParameters);
    for (const id of others) expect(lifecycle.provider.calls).not.toContain(`estimate ${id}`);
    open();
    expect((await finished(first)).chargedCredits).toBe(2);
    const charges = await Promise.all(others.map(async (id) => (await finished(id)).chargedCredits!));
    expect(charges.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect((await finished(otherParameters)).chargedCredits).toBe(3);
  });

  it('do not hold back other orders while they wait for an approval, and cost nothing after it if they are paid by then', async () => {
    const upload = await cleanable();
    const held = await order(upload, keep(3), { maxCredits: 0 });
    await lifecycle.enhancementReaches(held, 'AWAITING_APPROVAL');
    const whole = await order(upload, null);
    expect((await finished(whole)).chargedCredits).toBe(3);
    await lifecycle.command(approveEnhancement, held);
    expect(await charge(held)).toEqual([2, 0, whole, null]);
    expect(await lifecycle.balance()).toMatchObject({ reserved: 0 });
  });

  it('are not free after an order that failed', async () => {
    const upload = await cleanable();
    lifecycle.provider.script.enhance = () => Promise.reject(new Error('Broken.'));
    const failed = await order(upload, null);
    expect((await lifecycle.settled(failed)).status).toBe('ERROR');
    delete lifecycle.provider.script.enhance;
    expect(await charge(await order(upload, keep(2)))).toEqual([2, 2, null, null]);
  });

  it('must exist in the file', async () => {
    const { id: upload, enhancementIds } = await lifecycle.start({
      mimetype: 'application/pdf',
      enhancements: [{ parameters: { mode: 'DOCUMENT', pages: keep(2, 30) } }],
    });
    await lifecycle.uploadReaches(upload, 'METADATA_ANALYZED_SUCCESSFULLY');
    const ended = await lifecycle.enhancementReaches(enhancementIds[0]!, 'ERROR');
    expect(ended).toMatchObject({
      errorCode: 'BAD_USER_INPUT',
      errorDetail: 'The PDF has 2 pages, so it has no page 30. Remove it from pdf.pages.',
      chargedCredits: null,
    });
  });
});
