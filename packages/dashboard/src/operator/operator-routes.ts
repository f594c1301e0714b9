import type { Page } from '../routes.ts';
import { AccountPage } from './account-page.tsx';
import { AccountsPage } from './accounts-page.tsx';
import { QueuePage } from './queue-page.tsx';
import { UsagePage } from './usage-page.tsx';

/** The pages of the operator. They show accounts and no account's pictures. */
export const OPERATOR_PAGES: readonly Page[] = [
  { path: '/', component: AccountsPage },
  { path: '/accounts', component: AccountsPage, menu: { label: 'Accounts', icon: 'key' } },
  { path: '/accounts/:id', component: AccountPage },
  { path: '/usage', component: UsagePage, menu: { label: 'Usage', icon: 'coins' } },
  { path: '/queue', component: QueuePage, menu: { label: 'Queue', icon: 'clock' } },
];
