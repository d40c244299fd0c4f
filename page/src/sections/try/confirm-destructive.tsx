import { useState } from 'preact/hooks';
import type { ItemDetail } from '../../../../src/devtools/page-api.js';
import { riskOf } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Checkbox } from '../../ui/field.js';
import { Name, Text } from '../../ui/text.js';

const KEY = 'toolfold-confirmed';

function confirmed(): readonly string[] {
  const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
  return Array.isArray(value) ? value.map(String) : [];
}

/** Whether to ask before an action is run. The developer may have chosen not to be asked again until the tab is closed. */
export function needsConfirmation({ hints, address }: ItemDetail): boolean {
  return riskOf(hints) === 'destructive' && !confirmed().includes(address);
}

interface ConfirmProps {
  readonly item: ItemDetail;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before an action that may destroy something. */
export function ConfirmDestructive({ item, onConfirm, onCancel }: ConfirmProps) {
  const [isRemembered, setRemembered] = useState(false);
  const run = (): void => {
    if (isRemembered) sessionStorage.setItem(KEY, JSON.stringify([...confirmed(), item.address]));
    onConfirm();
  };
  return (
    <Dialog
      title="Run a destructive action?"
      onClose={onCancel}
      foot={
        <>
          <Button autofocus onClick={onCancel}>
            Do not run
          </Button>
          <Button kind="danger" onClick={run}>
            Run it
          </Button>
        </>
      }
    >
      <div class="stack">
        <p>
          <Name value={item.address} /> is marked as destructive, and the page calls the real server.
        </p>
        {item.description !== undefined && <Text value={item.description} clamp={4} />}
        <Checkbox isChecked={isRemembered} onChange={setRemembered}>
          Do not ask again for this action in this tab
        </Checkbox>
      </div>
    </Dialog>
  );
}
