import { counted } from '@burnish/contract';
import { Notice } from '../ui/notice.tsx';
import { anchorOf, troubledJobs } from './jobs.ts';

/** The files of the page that need a person, among many. Each name leads to its card, which has the remedy. */
export function FilesInTrouble() {
  const troubled = troubledJobs.value;
  if (troubled.length === 0) return null;
  return (
    <Notice kind="warning">
      {counted(troubled.length, 'file')} {troubled.length === 1 ? 'needs' : 'need'} you:{' '}
      <ul class="troubled">
        {troubled.map((job) => (
          <li key={job.key}>
            <a href={`#${anchorOf(job)}`}>{job.name}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
