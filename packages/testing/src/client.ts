/** `@toolfold/testing/client`: typed calls of a remote server. */
export { createClient } from './client/create-client.js';
export type { ClientCallOptions, ClientOptions, RemoteCaller } from './client/create-client.js';
