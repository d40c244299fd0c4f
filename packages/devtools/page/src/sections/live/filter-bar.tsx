import type { LiveStatistics } from '../../../../src/page-events.js';
import { Button, Segments } from '../../ui/button.js';
import { SearchField, Select } from '../../ui/field.js';
import { isFiltering, noFilters } from './filters.js';
import type { LiveFilters } from './filters.js';

interface FilterBarProps {
  readonly filters: LiveFilters;
  readonly tools: LiveStatistics['tools'];
  readonly onChange: (filters: LiveFilters) => void;
}

const outcomeOptions = [
  { value: 'all', label: 'All' },
  { value: 'ok', label: 'OK' },
  { value: 'error', label: 'Errors' },
  { value: 'questions', label: 'Questions' },
] as const;

const MAX_LABEL = 60;

export function FilterBar({ filters, tools, onChange }: FilterBarProps) {
  const change = (changed: Partial<LiveFilters>) => onChange({ ...filters, ...changed });
  const addresses = new Set(tools.map(({ address }) => address));
  if (filters.tool !== '') addresses.add(filters.tool);
  const options = [...addresses].toSorted().map((value) => ({ value, label: value.slice(0, MAX_LABEL) }));
  return (
    <search class="live-filters" aria-label="Filter calls">
      <div class="live-text">
        <SearchField
          label="Address, message or caller"
          value={filters.text}
          onChange={(text) => change({ text })}
        />
      </div>
      <Segments
        label="Outcome"
        value={filters.outcome}
        options={outcomeOptions}
        onChange={(outcome) => change({ outcome })}
      />
      <Select
        label="Tool"
        value={filters.tool}
        options={[{ value: '', label: 'All tools' }, ...options]}
        onChange={(tool) => change({ tool })}
      />
      <label class="live-minimum small">
        <span>At least</span>
        <input
          class="input"
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          aria-label="Least duration in milliseconds"
          value={filters.minimum === 0 ? '' : String(filters.minimum)}
          placeholder="0"
          onInput={({ currentTarget }) => change({ minimum: Math.max(0, Number(currentTarget.value) || 0) })}
        />
        <span>ms</span>
      </label>
      {isFiltering(filters) && (
        <Button
          isSmall
          kind="quiet"
          icon="close"
          onClick={() => onChange({ ...noFilters, tab: filters.tab })}
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}
