/** Words of the note about a network that may invent detail. The dashboard finds them, and says so beside the comparison. */
export const MAY_INVENT = 'may invent detail';
