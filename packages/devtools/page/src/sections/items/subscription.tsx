import { useEffect, useRef, useState } from 'preact/hooks';
import { canSubscribe, subscribe } from '../../mcp/subscribe.js';
import { perspective } from '../../perspective.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { countOf } from '../../ui/figures.js';
import { announce, toast } from '../../ui/toast.js';
import { options } from '../try/run/runs.js';
import { endpointFor, firstEra } from './item-calls.js';

/** Shows updates of a resource, if the server supports subscriptions. */
export function Subscription({ uri, onUpdate }: { readonly uri: string; readonly onUpdate: () => void }) {
  const [isOffered, setOffered] = useState(false);
  const [isOn, setOn] = useState(false);
  const [updates, setUpdates] = useState(0);
  const latest = useRef(onUpdate);
  latest.current = onUpdate;
  const key = JSON.stringify([options.value.era, perspective.value]);
  useEffect(() => {
    let isCurrent = true;
    canSubscribe(endpointFor(firstEra())).then(
      (can) => isCurrent && setOffered(can),
      // The read request shows connection errors, so ignore them here.
      () => isCurrent && setOffered(false),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  useEffect(() => {
    if (!isOn) return undefined;
    const started = subscribe(endpointFor(firstEra()), uri, () => {
      setUpdates((count) => count + 1);
      announce('The resource was updated.');
      latest.current();
    });
    started.catch((error: unknown) => {
      toast(
        `The server does not accept the subscription: ${error instanceof Error ? error.message : String(error)}`,
      );
      setOn(false);
    });
    return () => {
      // A subscription that failed or lost its connection has already ended.
      started.then((stop) => stop()).catch(() => undefined);
    };
  }, [isOn, uri, key]);
  if (!isOffered) return null;
  return (
    <>
      <Button aria-pressed={isOn} onClick={() => setOn(!isOn)}>
        Follow updates
      </Button>
      {updates > 0 && <Badge kind="info">{`updated ${countOf(updates, 'time')}`}</Badge>}
    </>
  );
}
