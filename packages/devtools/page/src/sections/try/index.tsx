// oxlint-disable-next-line import/no-unassigned-import -- The styles of the section belong to its chunk.
import './try.css';
import { useState } from 'preact/hooks';
import { api } from '../../api/client.js';
import { perspective } from '../../perspective.js';
import { goTo, route } from '../../routes.js';
import { Page } from '../../ui/page.js';
import { toast } from '../../ui/toast.js';
import { ConfirmDestructive, needsConfirmation } from './confirm-destructive.js';
import { setEditor } from './editors.js';
import { createEditor } from './form/editor.js';
import type { Json } from './form/json.js';
import { readSchema } from './form/read-schema.js';
import { HistoryPanel } from './history/history-panel.js';
import type { HistoryEntry } from './history/history.js';
import { Picker } from './picker.js';
import { Questions } from './questions/questions.js';
import { options, refuseSecondRun, startRun } from './run/runs.js';
import type { RunRequest } from './run/runs.js';
import { Workbench } from './workbench.js';

/** Section for calling actions through a form, with all details of the calls. */
export function Try() {
  const { rest } = route.value;
  const [asked, setAsked] = useState<RunRequest>();
  return (
    <Page
      title="Try"
      subject={rest === '' ? undefined : rest}
      hidesTitle={rest !== ''}
      lead={rest === '' ? 'Call an action as a client would, in either era of MCP.' : undefined}
    >
      <div class="try">
        <div class="try-main">{rest === '' ? <Picker /> : <Workbench address={rest} />}</div>
        <HistoryPanel onReplay={(entry) => void replay(entry, setAsked)} />
      </div>
      {asked && (
        <ConfirmDestructive
          item={asked.item}
          onCancel={() => setAsked(undefined)}
          onConfirm={() => {
            setAsked(undefined);
            startRun(asked);
          }}
        />
      )}
      <Questions />
    </Page>
  );
}

/** Runs a call of the history again, in the same way. `confirm` gets the runs that need a confirmation. */
async function replay({ call }: HistoryEntry, confirm: (request: RunRequest) => void): Promise<void> {
  const { address, input, form, profile, caller, era, asTask } = call;
  if (refuseSecondRun(address)) return goTo('try', address);
  perspective.value = { ...perspective.value, form, profile, caller };
  options.value = { ...options.value, era, asTask: asTask === true };
  goTo('try', address);
  try {
    const [item, listing] = await Promise.all([api.item(address), api.listing(address, form, profile)]);
    setEditor(address, createEditor(readSchema(item.inputSchema), input as Json));
    if (!('call' in listing)) return toast(listing.problem);
    const request = { item, listing, input };
    if (needsConfirmation(item)) confirm(request);
    else startRun(request);
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error));
  }
}
