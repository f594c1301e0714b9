import MiniSearch from './minisearch.js';
import { SEARCH_OPTIONS } from './search-options.js';

const root = document.body.dataset['root'] ?? '';
const input = document.querySelector('#site-search');
const list = document.querySelector('#site-results');
const MOST_RESULTS = 12;

/** @returns {Promise<MiniSearch>} */
async function loadIndex() {
  const answer = await fetch(`${root}search-index.json`);
  if (!answer.ok) throw new Error('The index of the search is missing.');
  return MiniSearch.loadJSON(await answer.text(), SEARCH_OPTIONS);
}
let opened;
/** The first use of the field loads the index. A failed load is tried again. */
const openIndex = () =>
  (opened ??= loadIndex().catch((error) => {
    opened = undefined;
    throw error;
  }));

async function search() {
  const words = input.value.trim();
  if (words === '') return show([]);
  let found;
  try {
    const index = await openIndex();
    found = index.search(words);
    // Pages with some of the words are better than none.
    if (found.length === 0) found = index.search(words, { combineWith: 'OR' });
  } catch {
    return say('The search is not available.');
  }
  // A slow load ends after further keys.
  if (words !== input.value.trim()) return;
  if (found.length === 0) return say('No page has these words.');
  show(found.slice(0, MOST_RESULTS).map(item));
}

function item({ id, title, heading, start }, position) {
  const link = document.createElement('a');
  link.href = root + id;
  link.tabIndex = -1;
  const [strong, small] = [document.createElement('strong'), document.createElement('small')];
  strong.textContent = heading === title ? title : `${title} › ${heading}`;
  small.textContent = start;
  link.append(strong, small);
  const line = document.createElement('li');
  line.id = `result-${position}`;
  line.role = 'option';
  line.append(link);
  return line;
}

function show(lines) {
  list.replaceChildren(...lines);
  list.hidden = lines.length === 0;
  input.setAttribute('aria-expanded', String(lines.length > 0));
  mark(-1);
}

function say(sentence) {
  const line = document.createElement('li');
  line.role = 'option';
  line.ariaDisabled = 'true';
  line.textContent = sentence;
  show([line]);
}

let marked = -1;
function mark(position) {
  marked = position;
  [...list.children].forEach((line, at) => (line.ariaSelected = String(at === position)));
  const line = list.children[position];
  line?.scrollIntoView({ block: 'nearest' });
  if (line) input.setAttribute('aria-activedescendant', line.id);
  else input.removeAttribute('aria-activedescendant');
}

input.addEventListener('focus', () => void openIndex().catch(() => {}));
input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  const count = list.querySelectorAll('a').length;
  if (event.key === 'Escape') {
    input.value = '';
    show([]);
  } else if (event.key === 'Enter') list.querySelectorAll('a')[Math.max(marked, 0)]?.click();
  else if (event.key === 'ArrowDown' && count > 0) mark((marked + 1) % count);
  else if (event.key === 'ArrowUp' && count > 0) mark((marked + count - 1) % count);
  else return;
  event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('search')) show([]);
  else if (event.target.closest('a')) show([]);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return;
  event.preventDefault();
  input.focus();
});

/** The language of the last choice, for every example and page. Storage can be closed to a page. */
const CHOICE = 'burnish-guide-language';
const remembered = () => {
  try {
    return localStorage.getItem(CHOICE);
  } catch {
    return null;
  }
};
const remember = (label) => {
  try {
    localStorage.setItem(CHOICE, label);
  } catch {
    // The choice then lasts as long as the page.
  }
};

const groups = [...document.querySelectorAll('.tabs')].map(makeTabs);
choose(remembered() ?? '');

/** Without this script, a reader sees all examples below each other. */
function makeTabs(group, at) {
  const panels = [...group.children];
  const bar = document.createElement('div');
  bar.role = 'tablist';
  bar.ariaLabel = 'Language';
  const tabs = panels.map((panel, position) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.role = 'tab';
    tab.id = `tab-${at}-${position}`;
    tab.textContent = panel.dataset['tab'];
    panel.id = `panel-${at}-${position}`;
    panel.role = 'tabpanel';
    panel.setAttribute('aria-labelledby', tab.id);
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => {
      const before = tab.getBoundingClientRect().top;
      remember(tab.textContent);
      choose(tab.textContent);
      // Examples above change their height; the one that was clicked stays where it is.
      window.scrollBy(0, tab.getBoundingClientRect().top - before);
    });
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step) tabs[(position + step + tabs.length) % tabs.length].focus();
    });
    return tab;
  });
  bar.append(...tabs);
  group.prepend(bar);
  return { tabs, panels };
}

function choose(label) {
  for (const { tabs, panels } of groups) {
    const chosen = Math.max(
      0,
      tabs.findIndex((tab) => tab.textContent === label),
    );
    tabs.forEach((tab, at) => {
      tab.ariaSelected = String(at === chosen);
      tab.tabIndex = at === chosen ? 0 : -1;
      panels[at].hidden = at !== chosen;
    });
  }
}

for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard?.writeText(block.innerText).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Select the text to copy it';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
}

/** A wide screen shows the menu; a narrow one shows it when its reader asks. */
const menu = document.querySelector('.menu details');
const wide = matchMedia('(min-width: 60rem)');
const openMenu = () => (menu.open = wide.matches);
wide.addEventListener('change', openMenu);
openMenu();
menu.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
