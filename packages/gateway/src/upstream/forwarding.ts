// Bundles the code that forwards calls, which `fromMcpServer` imports on first use.
export { Follower } from './items/follower.js';
export { UpstreamLink } from './reconnect.js';
export { toDefinitions } from './tools.js';
