import { useState } from 'preact/hooks';
import type { ItemDetail } from '../../../../src/page-api.js';
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

/**
 * Whether to ask before running an action. Like in the code form, an action without hints counts as destructive.
 * Returns `false` if the developer chose not to be asked again in this tab.
 */
export function needsConfirmation({ hints, address }: ItemDetail): boolean {
  return hints.readOnly !== true && hints.destructive !== false && !confirmed().includes(address);
}

interface ConfirmProps {
  readonly item: ItemDetail;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks for confirmation before running an action that may be destructive. */
export function ConfirmDestructive({ item, onConfirm, onCancel }: ConfirmProps) {
  const [isRemembered, setRemembered] = useState(false);
  const isDestructive = riskOf(item.hints) === 'destructive';
  const run = (): void => {
    if (isRemembered) sessionStorage.setItem(KEY, JSON.stringify([...confirmed(), item.address]));
    onConfirm();
  };
  return (
    <Dialog
      title={isDestructive ? 'Run a destructive action?' : 'Run an action that may be destructive?'}
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
          <Name value={item.address} />{' '}
          {isDestructive
            ? 'is marked as destructive'
            : 'does not declare whether it changes or destroys data'}
          , and the page calls the real server.
        </p>
        {item.description !== undefined && <Text value={item.description} clamp={4} />}
        <Checkbox isChecked={isRemembered} onChange={setRemembered}>
          Do not ask again for this action in this tab
        </Checkbox>
      </div>
    </Dialog>
  );
}
