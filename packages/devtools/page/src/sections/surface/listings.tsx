import { server } from '../../api/stores.js';
import { Button, Segments } from '../../ui/button.js';
import { Column } from './listing-column.js';
import { columns, inputView, setColumns } from './state.js';
import type { ListingColumn } from './state.js';

const MAX_COLUMNS = 6;

/** Compares what models read: columns side by side, each with a form and a profile. */
export function Listings({ address }: { readonly address: string }) {
  const shown = columns.value;
  const replace = (index: number, column: ListingColumn) => setColumns(shown.with(index, column));
  const remove = (index: number) => setColumns(shown.filter((_, each) => each !== index));
  return (
    <section class="stack" aria-labelledby="listings-title">
      <div class="row">
        <h3 id="listings-title" class="grow">
          What the model reads
        </h3>
        <Segments
          label="Show the input as"
          value={inputView.value}
          options={[
            { value: 'outline', label: 'Outline' },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={(view) => (inputView.value = view)}
        />
        <Button
          isSmall
          icon="plus"
          disabled={shown.length >= MAX_COLUMNS}
          onClick={() => setColumns([...shown, nextColumn(shown)])}
        >
          Add column
        </Button>
      </div>
      <div
        class="surface-columns"
        style={{ '--columns': String(shown.length) }}
        tabIndex={0}
        role="group"
        aria-label="Columns"
      >
        {shown.map((column, index) => (
          <Column
            key={index}
            address={address}
            column={column}
            position={index + 1}
            onChange={(next) => replace(index, next)}
            onRemove={shown.length > 1 ? () => remove(index) : undefined}
          />
        ))}
      </div>
    </section>
  );
}

/** Returns the next column to add: the last form, with a profile that it is not shown for yet. */
function nextColumn(shown: readonly ListingColumn[]): ListingColumn {
  const form = shown.at(-1)?.form ?? server.value?.form ?? 'grouped';
  const profile = server.value?.profiles.find(
    (each) => !shown.some((column) => column.form === form && column.profile === each),
  );
  return { form, profile: profile ?? 'none' };
}
