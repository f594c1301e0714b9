import type { ComponentChildren } from 'preact';
import { BurnishError } from '@burnish/client';
import type { LongList } from '../api/use-listing.ts';
import type { Resource } from '../api/use-resource.ts';
import { Trouble } from './notice.tsx';
import { Loading } from './progress.tsx';
import { ShowMore } from './show-more.tsx';

type Reading = Pick<Resource<unknown>, 'error'> & { reload?: (() => void) | undefined };

/** The place of something that is not there yet. @param missing in place of it, if the gateway does not know it */
export function NotLoaded({
  resource: { error, reload },
  label,
  missing,
}: {
  resource: Reading;
  /** What happens meanwhile */
  label?: string;
  missing?: ComponentChildren;
}) {
  if (error === undefined) return <Loading {...(label !== undefined && { label })} />;
  if (missing !== undefined && error instanceof BurnishError && error.status === 404) return <>{missing}</>;
  return <Trouble error={error} retry={reload} />;
}

/** What the gateway was asked for, once it is there. A later error stands above it. */
export function Loaded<Body>({
  resource,
  children,
}: {
  resource: Pick<Resource<Body>, 'data' | 'error' | 'reload'>;
  children: (data: Body) => ComponentChildren;
}) {
  const { data, error, reload } = resource;
  if (data === undefined) return <NotLoaded resource={resource} />;
  return (
    <>
      <Trouble error={error} retry={reload} />
      {children(data)}
    </>
  );
}

/** A list of the gateway as far as it was read, with a button for more. */
export function LoadedList<Item>({
  list,
  empty,
  more,
  children,
}: {
  list: LongList<Item>;
  /** In place of a list without items */
  empty: ComponentChildren;
  /** Words of the button */
  more?: string;
  children: (items: Item[]) => ComponentChildren;
}) {
  return (
    <>
      <Loaded resource={{ ...list, data: list.items }}>
        {(items) => (items.length === 0 ? empty : children(items))}
      </Loaded>
      <ShowMore list={list} {...(more !== undefined && { words: more })} />
    </>
  );
}
