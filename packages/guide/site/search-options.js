/** What the index has, and how a search weighs it. The build and the page use the same. */
export const SEARCH_OPTIONS = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['title', 'heading', 'start'],
  searchOptions: {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { heading: 4, title: 2 },
    combineWith: 'AND',
  },
};
