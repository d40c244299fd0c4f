import { useMemo, useState } from 'preact/hooks';
import { server } from '../../../api/stores.js';
import type { Messages } from '../../../mcp/call.js';
import { compactJson, indentJson, isExactly } from '../../../mcp/wire/json-text.js';
import type { RecordedMessage } from '../../../mcp/wire/message-log.js';
import { Button } from '../../../ui/button.js';
import { CodeBlock, CopyButton } from '../../../ui/copy.js';
import { countOf, formatMs } from '../../../ui/figures.js';
import { Icon } from '../../../ui/icons.js';
import { JsonView } from '../../../ui/json/json-view.js';
import { Name, Text } from '../../../ui/text.js';

/** Number of messages that are rendered at first. */
const SHOWN = 60;

/** Shows the messages of a call as sent over the network, in order. */
export function MessagesView({ messages: { connection, call, dropped } }: { readonly messages: Messages }) {
  const [hasConnection, setConnection] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const began = call[0]?.at ?? 0;
  const all = hasConnection ? [...connection, ...call] : call;
  return (
    <div class="stack">
      <Parties />
      <div class="row row-between">
        <span class="soft small">
          {countOf(call.length + dropped, 'message')}
          {dropped > 0 && `, of which ${dropped} are not kept`}
        </span>
        <div class="row">
          <Button isSmall aria-pressed={hasConnection} onClick={() => setConnection(!hasConnection)}>
            Show connection messages ({connection.length})
          </Button>
          <CopyButton hasText label="Copy all" value={() => copyOf([...connection, ...call])} />
        </div>
      </div>
      <ol class="try-messages">
        {all.slice(0, shown).map((message) => (
          <MessageRow key={message.id} message={message} after={message.at - began} />
        ))}
      </ol>
      {all.length > shown && (
        <Button isSmall onClick={() => setShown(shown + 200)}>
          Show more of {countOf(all.length - shown, 'message')}
        </Button>
      )}
    </div>
  );
}

/** Explains who exchanged the messages, because Toolfold forwards calls to another server in different messages. */
function Parties() {
  const info = server.value;
  return (
    <p class="soft small">
      {info?.isForwarded === true ? (
        <>
          Between this page and Toolfold, which forwards the call to <Name value={info.target} /> in messages
          of its own. Those are not shown.
        </>
      ) : (
        'Between this page and the server, as they were sent and received.'
      )}
    </p>
  );
}

/** Copies all messages as JSON. The messages keep their original text, with all digits. */
function copyOf(messages: readonly RecordedMessage[]): string {
  const rows = messages.map(({ direction, http, headers, text, message }) => {
    const head = JSON.stringify({ direction, http, headers }).slice(0, -1);
    if (text === undefined) return `${head}}`;
    return message === undefined
      ? `${head},"text":${JSON.stringify(text)}}`
      : `${head},"message":${compactJson(text)}}`;
  });
  return indentJson(`[${rows.join(',')}]`);
}

function MessageRow({ message, after }: { readonly message: RecordedMessage; readonly after: number }) {
  const [isOpen, setOpen] = useState(false);
  const { direction, label, http, headers } = message;
  const isSent = direction === 'sent';
  return (
    <li class="try-message">
      <button type="button" class="try-message-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class={isSent ? 'try-sent' : 'try-received'}>
          <Icon name={isSent ? 'up' : 'down'} size={12} />
          {isSent ? 'sent' : 'received'}
        </span>
        <Name value={label} class="truncate grow" />
        {http !== undefined && <span class="soft small">{http}</span>}
        <span class="soft small number">{after < 0 ? 'before' : formatMs(after)}</span>
      </button>
      {isOpen && (
        <div class="try-message-body">
          {Object.keys(headers).length > 0 && (
            <dl class="try-headers">
              {Object.entries(headers).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <Name value={value} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
          <MessageBody message={message} />
        </div>
      )}
    </li>
  );
}

function MessageBody({ message: { label, text, message } }: { readonly message: RecordedMessage }) {
  const isExact = useMemo(
    () => text !== undefined && message !== undefined && isExactly(text, message),
    [text],
  );
  if (text === undefined) return <span class="soft">no body</span>;
  if (message === undefined) return <Text value={text} clamp={20} isMono />;
  if (isExact) return <JsonView value={message} label={`message ${label}`} openDepth={3} />;
  // The parsed value would lose something, such as digits of a large number, so show the text.
  return <CodeBlock value={indentJson(text)} label={`message ${label}`} />;
}
