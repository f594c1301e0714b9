/** REST representation of a page of a list; `next` is the `after` of the next page. */
export interface Listing<Item> {
  items: Item[];
  next: string | null;
}
