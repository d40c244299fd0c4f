import { useRef } from 'preact/hooks';
import type { ViewReport } from '../../../../src/page-api.js';
import { api } from '../../api/client.js';
import { useResource } from '../../api/resource.js';
import { server } from '../../api/stores.js';
import { linkTo, replaceRest, route } from '../../routes.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { Loaded } from '../../ui/feedback.js';
import { Page } from '../../ui/page.js';
import { Choices } from './choices.js';
import { changePerspective, readPerspective, writePerspective } from './perspective-route.js';
import { Result } from './result.js';
import './views.css';

/** Section that previews what a client or caller sees, and why items are hidden. */
export function Views() {
  const info = server.value;
  const { rest } = route.value;
  const value = readPerspective(rest);
  const report = useResource((signal) => api.view(value, signal), [value]);
  // Keep the previous result while the next one loads, so that its buttons stay clickable.
  const last = useRef<ViewReport>(undefined);
  if (report.value) last.current = report.value;
  const shown = report.error ? report : { ...report, value: last.current };
  if (!info) return null;
  return (
    <Page
      title="Views"
      lead="Pick a caller and a client, and see what they would see. The address of this page holds the choices."
      actions={
        <>
          <CopyButton
            hasText
            label="Copy link"
            value={() => `${location.origin}${location.pathname}${linkTo('views', rest)}`}
          />
          <Button isSmall disabled={rest === ''} onClick={() => replaceRest('views', '')}>
            Reset
          </Button>
        </>
      }
    >
      <div class="views">
        <Choices
          info={info}
          value={value}
          onChange={(part) => {
            const now = readPerspective(route.value.rest);
            const change = typeof part === 'function' ? part(now) : part;
            replaceRest('views', writePerspective(changePerspective(now, change)));
          }}
        />
        <div class="views-side" aria-busy={report.isLoading}>
          <Loaded resource={shown} label="Asking the server">
            {(loaded) => <Result report={loaded} />}
          </Loaded>
        </div>
      </div>
    </Page>
  );
}
