import { PageHeader } from '../ui/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" lead="The dashboard has no page at this address." />
      <p>
        <a href="/">Go to Enhance</a>
      </p>
    </>
  );
}
