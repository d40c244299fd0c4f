// The code that forwards calls, which a loader imports on first use, in one file.
export { Follower } from './items/follower.js';
export { UpstreamLink } from './reconnect.js';
export { toDefinitions } from './tools.js';
