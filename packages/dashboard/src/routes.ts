import type { ComponentType } from 'preact';
import { AuditPage } from './audit/audit-page.tsx';
import { BatchPage } from './batches/batch-page.tsx';
import { BatchesPage } from './batches/batches-page.tsx';
import { CreditsPage } from './credits/credits-page.tsx';
import { EnhancePage } from './enhance/enhance-page.tsx';
import { GalleryPage } from './gallery/gallery-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { LooksPage } from './looks/looks-page.tsx';
import { SettingsPage } from './settings/settings-page.tsx';
import type { IconName } from './ui/icon.tsx';
import { UploadPage } from './uploads/upload-page.tsx';
import { WebhooksPage } from './webhooks/webhooks-page.tsx';

export interface Page {
  /** As preact-iso writes it; src/api/dashboard/dashboard-pages.ts and ./paths.ts must list it too */
  path: string;
  /** The page starts with a `PageHeader`, which sets the title of the document */
  component: ComponentType<PageProps>;
  /** Its position in the menu, in this order */
  menu?: { label: string; icon: IconName };
}

export interface PageProps {
  params?: Record<string, string>;
  query?: Record<string, string>;
}

export const PAGES: readonly Page[] = [
  { path: '/', component: EnhancePage, menu: { label: 'Enhance', icon: 'sparkle' } },
  { path: '/uploads', component: GalleryPage, menu: { label: 'Uploads', icon: 'images' } },
  { path: '/uploads/:id', component: UploadPage },
  { path: '/batches', component: BatchesPage, menu: { label: 'Batches', icon: 'layers' } },
  { path: '/batches/:id', component: BatchPage },
  { path: '/looks', component: LooksPage, menu: { label: 'Looks', icon: 'compare' } },
  { path: '/keys', component: KeysPage, menu: { label: 'API keys', icon: 'key' } },
  { path: '/webhooks', component: WebhooksPage, menu: { label: 'Webhooks', icon: 'webhook' } },
  { path: '/credits', component: CreditsPage, menu: { label: 'Credits', icon: 'coins' } },
  { path: '/audit', component: AuditPage, menu: { label: 'Audit log', icon: 'clock' } },
  { path: '/settings', component: SettingsPage, menu: { label: 'Settings', icon: 'sliders' } },
];
