import { Icon } from '../ui/icon.tsx';
import { layout, setLayout, type Layout } from './layout.ts';

const LAYOUTS: Record<Layout, string> = { grid: 'Grid', list: 'List' };

export function LayoutChoice() {
  return (
    <div class="layout-choice" role="group" aria-label="Layout">
      {(['grid', 'list'] as const).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={layout.value === value}
          aria-label={LAYOUTS[value]}
          title={LAYOUTS[value]}
          onClick={() => setLayout(value)}
        >
          <Icon name={value} size={18} />
        </button>
      ))}
    </div>
  );
}
