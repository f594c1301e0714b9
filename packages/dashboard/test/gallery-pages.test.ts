import { describe, expect, test } from '@jest/globals';
import type { UploadWithEnhancements } from '@burnish/client';
import { renewPage, type GalleryPage } from '../src/gallery/gallery-pages.ts';

const uploads = (ids: string, state = 'old'): UploadWithEnhancements[] =>
  [...ids].map((id) => ({ id, state }) as unknown as UploadWithEnhancements);
const shown = (pages: readonly GalleryPage[]): string =>
  pages.map(({ items, next }) => `${items.map(({ id }) => id).join('')}→${next ?? 'end'}`).join(' ');
const page = (after: string | null, ids: string, next: string | null): GalleryPage => ({
  after,
  items: uploads(ids),
  next,
});
const PAGES = [page(null, 'zyx', 'x'), page('x', 'wvu', 'u')];

describe('a renewed page of the gallery', () => {
  test('has the records as they are now, and keeps the others', () => {
    const renewed = renewPage(PAGES, 'x', { items: uploads('wvu', 'new'), next: 'u' }, false);
    expect(shown(renewed)).toBe('zyx→x wvu→u');
    expect(renewed[1]!.items).toEqual(uploads('wvu', 'new'));
    expect(renewed[0]).toBe(PAGES[0]);
  });

  test('shows new uploads only where they move nothing that a person looks at, and loses none of the older ones', () => {
    const fresh = { items: uploads('#zy'), next: 'y' };
    expect(shown(renewPage(PAGES, null, fresh, true))).toBe('#zyx→x wvu→u');
    expect(shown(renewPage(PAGES, null, fresh, false))).toBe('zyx→x wvu→u');
  });

  test('drops records that are gone, and takes none twice', () => {
    expect(shown(renewPage(PAGES, null, { items: uploads('zxw'), next: 'w' }, true))).toBe('zx→x wvu→u');
  });

  test('starts anew when all that it shows lies behind the new ones', () => {
    const fresh = { items: uploads('#+*'), next: '*' };
    expect(shown(renewPage(PAGES, null, fresh, true))).toBe('#+*→*');
    expect(renewPage(PAGES, null, fresh, false)).toBe(PAGES);
  });

  test('ends the list where it ends now, and continues where it continues', () => {
    expect(shown(renewPage(PAGES, 'x', { items: uploads('wv'), next: null }, false))).toBe('zyx→x wv→end');
    expect(shown(renewPage([page(null, 'z', null)], null, { items: uploads('#z'), next: null }, true))).toBe('#z→end');
  });

  test('is left alone when its page is not shown any more', () => {
    expect(renewPage(PAGES, 'gone', { items: uploads('a'), next: null }, true)).toBe(PAGES);
  });
});
