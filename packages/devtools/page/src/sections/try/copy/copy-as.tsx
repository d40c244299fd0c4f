import { server } from '../../../api/stores.js';
import { CopyButton } from '../../../ui/copy.js';
import { EXAMPLE_FILE } from './copied-call.js';
import type { CopiedCall } from './copied-call.js';
import { toToolfoldCall } from './to-command.js';
import { toCurl } from './to-curl.js';
import { toTest } from './to-test.js';

/** Buttons that copy a call to use it elsewhere. */
export function CopyAs({ call }: { readonly call: CopiedCall }) {
  const isTool = call.method === 'tools/call';
  const isAuthored = Object.hasOwn(Object(call.params['_meta']) as object, 'toolfold/authoredArguments');
  const json = <CopyButton hasText label="JSON" value={() => JSON.stringify(call.params, undefined, 2)} />;
  return (
    <div class="row" role="group" aria-label="Copy as">
      {server.value?.canCall === false ? (
        json
      ) : (
        <>
          <CopyButton hasText label="curl" value={() => toCurl(call)} />
          {isTool && <CopyButton hasText label="toolfold call" value={() => toToolfoldCall(call)} />}
          {isTool && <CopyButton hasText label="test" value={() => toTest(call)} />}
          {json}
          <p class="soft small">
            Before you run the curl command: <code>export TOOLFOLD_TOKEN=…</code> The token is the part after{' '}
            <code>#token=</code> in the address that your terminal shows.
            {isTool && call.words === undefined && (
              <> Replace {EXAMPLE_FILE} with the file that exports your registry.</>
            )}
            {isAuthored && (
              <>
                {' '}
                <code>toolfold/authoredArguments</code> marks arguments of the original schema, which the
                profile may have rewritten.
              </>
            )}
          </p>
        </>
      )}
    </div>
  );
}
