export interface Listing<Item> {
  items: Item[];
  next: string | null;
}
