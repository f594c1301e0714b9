import { PageHeader } from '../ui/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="There is nothing here" lead="The address leads to no page of the dashboard." />
      <p>
        <a href="/">Go to Enhance</a>
      </p>
    </>
  );
}
