import { counted } from '@burnish/contract';
import type { LeftOutFile } from './folder.ts';

/** Files that cannot be part of a batch, each with the reason; folded, since a folder may have many. */
export function LeftOutFiles({ files, words }: { files: readonly LeftOutFile[]; words: string }) {
  if (files.length === 0) return null;
  return (
    <details class="left-out">
      <summary>
        {counted(files.length, 'file')} {words}
      </summary>
      <ul>
        {files.map(({ path, why }) => (
          <li key={path}>
            <strong>{path}</strong> {why}
          </li>
        ))}
      </ul>
    </details>
  );
}
