import { render } from 'preact';
import { followServer } from './api/stores.js';
import { followToken } from './api/token.js';
import { watchVisibility } from './api/visibility.js';
import { App } from './app.js';
import { closeUnused } from './mcp/pool.js';
import { followCalls } from './sections/live/store/feed.js';

followCalls();
followServer();
followToken();
watchVisibility({ onHidden: () => closeUnused(0) });
const root = document.getElementById('app');
if (root) render(<App />, root);
