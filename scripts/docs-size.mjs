import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Counts the words of the Markdown pages in Git, without those of `.github/` and `examples/`: parts between spaces that have a letter or a digit. Prints each page with `--pages`, and
 * the sum. Ends with code 1 if the sum exceeds what a newcomer reads in an afternoon.
 */
const MOST_WORDS = 35_000;

const pages = execFileSync('git', ['ls-files', '*.md', ':!:.github', ':!:examples'], { encoding: 'utf8' })
  .trim()
  .split('\n');
const counts = pages.map((page) => ({ page, words: countWords(readFileSync(page, 'utf8')) }));
const sum = counts.reduce((total, { words }) => total + words, 0);

if (process.argv.includes('--pages')) {
  for (const { page, words } of counts.sort((a, b) => b.words - a.words)) console.log(String(words).padStart(6), page);
}
console.log(`${sum} words in ${pages.length} pages, of at most ${MOST_WORDS}.`);
if (sum > MOST_WORDS) process.exitCode = 1;

function countWords(text) {
  // Readers see no comments.
  return text
    .replace(/<!--.*?-->/gs, '')
    .split(/\s+/)
    .filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}
