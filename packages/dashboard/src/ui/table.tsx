import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  /** Over the column, and beside the value where the table is a list of cards */
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** start: text; end: numbers and actions */
  align?: 'start' | 'end';
  /** Its title is for readers of the page only: a column of buttons */
  hideTitle?: boolean;
}

/** A table; on narrow screens each row becomes a card. The first column names its row. @param caption for readers of the page */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
}) {
  return (
    <table class="table">
      <caption class="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, align, hideTitle }) => (
            <th key={title} scope="col" class={align}>
              {hideTitle ? <span class="sr-only">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ title, cell, align, hideTitle }, index) =>
              index === 0 ? (
                <th key={title} scope="row" class={align}>
                  {cell(row)}
                </th>
              ) : (
                <td key={title} class={align} data-title={hideTitle ? undefined : title}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
