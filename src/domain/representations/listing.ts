/** A page of a list, as the REST interface answers with it; `next` is the `after` of the next one. */
export interface Listing<Item> {
  items: Item[];
  next: string | null;
}
