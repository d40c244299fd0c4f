import { connection, isRestarted, reconnectNow } from '../api/events.js';
import { server } from '../api/stores.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/feedback.js';
import { Text } from '../ui/text.js';
import { CallerBar } from './caller-bar.js';

/** Shows that the server is down, or why it shows an old version. Loaded data stays visible. */
export function Banner() {
  const isLost = connection.value === 'lost';
  const { problem, isForwarded, counts } = server.value ?? {};
  // A file that has never loaded has no previous version, and neither has a forwarded server.
  const hasLast = isForwarded !== true && Object.values(counts ?? {}).some((count) => count > 0);
  return (
    <div class="frame-banner" role="status">
      <CallerBar />
      {isLost && (
        <Notice kind="warning" class="banner">
          {isRestarted.value ? (
            <p>
              The server was started again and has a new token. Open the address that it printed in this tab.
              Until then, the page shows the last known state.
            </p>
          ) : (
            <div class="row">
              <span class="grow">
                The server does not answer. The page shows the last known state and reconnects automatically.
              </span>
              <Button isSmall onClick={reconnectNow}>
                Connect now
              </Button>
            </div>
          )}
        </Notice>
      )}
      {problem !== undefined && (
        <Notice kind="error" class="banner">
          <pre class="banner-problem">
            <Text value={problem} clamp={8} />
          </pre>
          {hasLast && <p>The last version keeps running.</p>}
        </Notice>
      )}
    </div>
  );
}
