/** Sections of the description, in their order. */
export const TAGS = {
  Uploads: 'Send files, read and delete uploads.',
  Enhancements: 'Enhance uploads and approve estimates.',
  Trials: 'See what enhancements do before an order.',
  Presets: 'Save parameters under a name.',
  Looks: 'Make tone and colour of your own from finished pictures.',
  Batches: 'Enhance many files under one approval.',
  Previews: 'Display uploads and results.',
  Reports: 'Preflight and proof sheets as PDF.',
  Credits: 'Read the balance and the ledger.',
  Webhooks: 'Register endpoints for events, and read their deliveries.',
  // Generated clients have a class for each tag: one of requests to Burnish would replace the other.
  Events: 'What Burnish sends to your endpoints.',
  Account: 'Manage API keys and settings.',
  Operator: "Manage accounts and plans with the operator's key.",
  Files: 'Send and download files by signed URL.',
  Health: 'Health and metrics of the instance.',
} as const;

export type Tag = keyof typeof TAGS;
