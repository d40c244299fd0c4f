import { render } from 'preact';
import { connection } from './api/events.js';
import { followServer } from './api/stores.js';
import { followAddress, giveTickets, untilTokenChanges } from './api/token.js';
import { watchVisibility } from './api/visibility.js';
import { App } from './app.js';
import { closeUnused } from './mcp/pool.js';
import { followCalls } from './sections/live/store/feed.js';

const isLive = (): boolean => connection.value === 'live';
followAddress(isLive);
giveTickets(isLive);
followCalls();
followServer();
// Open MCP connections use the token with which they were opened.
void (async () => {
  for (;;) {
    await untilTokenChanges();
    closeUnused(0);
  }
})();
watchVisibility({ onHidden: () => closeUnused(0) });
const root = document.getElementById('app');
if (root) render(<App />, root);
