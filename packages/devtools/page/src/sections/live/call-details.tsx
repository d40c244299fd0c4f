import type { LiveCall } from '../../../../src/page-events.js';
import { api } from '../../api/client.js';
import { tryWith } from '../../draft.js';
import { linkTo } from '../../routes.js';
import { Button, LinkButton } from '../../ui/button.js';
import { CodeBlock } from '../../ui/copy.js';
import { Notice } from '../../ui/feedback.js';
import { countOf, formatCount } from '../../ui/figures.js';
import { StackTrace } from '../../ui/stack-trace.js';
import { Name, Text } from '../../ui/text.js';
import { Outcome } from './call-row.js';
import { formatDuration, writeClock } from './figures.js';
import { ownArguments, parseArguments } from './parse-arguments.js';
import { StepBar } from './step-bar.js';

/** Shows the outcome, arguments and steps of one call, with links to repeat it. */
export function CallDetails({ call }: { readonly call: LiveCall }) {
  const parsed = parseArguments(call.arguments);
  return (
    <div class="stack live-details">
      <div class="row">
        <Outcome call={call} />
        <span class="number">{formatDuration(call.ms)}</span>
        <span class="soft number">≈ {countOf(call.tokens, 'token')}</span>
      </div>
      {call.message !== undefined && (
        <Notice kind="error">
          <Text value={call.message} clamp={8} />
        </Notice>
      )}
      <div class="row">
        {call.kind !== undefined ? (
          <LinkButton isSmall icon="items" href={linkTo('items', `${call.kind}/${call.address}`)}>
            Open in Prompts and resources
          </LinkButton>
        ) : (
          <>
            {parsed.value ? (
              <Button isSmall icon="try" onClick={() => void tryAgain(call.address, parsed.value ?? {})}>
                Try with these arguments
              </Button>
            ) : (
              <LinkButton isSmall icon="try" href={linkTo('try', call.address)}>
                Open in Try
              </LinkButton>
            )}
            <LinkButton isSmall icon="surface" href={linkTo('surface', call.address)}>
              Open in Surface
            </LinkButton>
          </>
        )}
      </div>
      <div class="stack stack-tight">
        <h3>Steps</h3>
        <StepBar steps={call.steps} total={call.ms} />
      </div>
      <div class="stack stack-tight">
        <h3>Arguments</h3>
        {parsed.text === undefined ? (
          <p class="soft">The call had no arguments.</p>
        ) : (
          <CodeBlock value={parsed.text} label="arguments" />
        )}
        {parsed.isCut && (
          <p class="soft small">The server cut the arguments, so they cannot be tried again as they are.</p>
        )}
      </div>
      {call.fault !== undefined && (
        <div class="stack stack-tight">
          <h3>Stack of the error</h3>
          <StackTrace fault={call.fault} frame={call.frame} label="Stack" />
        </div>
      )}
      <dl class="facts">
        <dt>Time</dt>
        <dd class="number live-fact">{writeClock(call.at)}</dd>
        <dt>Number</dt>
        <dd class="number live-fact">{formatCount(call.id)}</dd>
        <dt>Caller</dt>
        <dd>
          <Text value={call.caller} clamp={2} />
        </dd>
        {call.client !== undefined && (
          <>
            <dt>Client</dt>
            <dd>
              <Text value={call.client} clamp={2} />
            </dd>
          </>
        )}
        {call.protocolVersion !== undefined && (
          <>
            <dt>Protocol</dt>
            <dd>
              <Name value={call.protocolVersion} />
            </dd>
          </>
        )}
        {call.run !== undefined && (
          <>
            <dt>Run of code</dt>
            <dd>
              <Name value={call.run} />
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

async function tryAgain(address: string, sent: Readonly<Record<string, unknown>>): Promise<void> {
  // The tool may have been removed. Open Try anyway, because it explains that.
  const item = await api.item(address).catch(() => undefined);
  tryWith(address, ownArguments(sent, address, item?.discriminator));
}
