/** Internal API for the other packages of Toolfold. It may change in any version. */

/** Commands call the tools of a server without a registry. */
export type { CallContext } from './upstream/call.js';
/** Commands list and call a server over one connection, without the tools of a registry. */
export { UpstreamConnection, type ListName } from './upstream/connection.js';
/** Commands connect to a server with the settings and defaults of `fromMcpServer`. */
export { proxyCapabilities, readSettings, type ConnectionSettings } from './upstream/options.js';
/** `toolfold proxy` and `toolfold ui` compare a tool with what its server listed. */
export { originalOf } from './upstream/original-tool.js';
/** `toolfold proxy` applies the overrides of its configuration after it has reviewed the tools. */
export { applyOverrides } from './upstream/overrides/apply-overrides.js';
/** `toolfold proxy` checks the overrides of its configuration before it connects. */
export { assertOverrides } from './upstream/overrides/tool-override.js';
/** `toolfold search draft` ends the command that it starts, with all processes of that command. */
export { groupOptions, signalGroup } from './upstream/process/process-groups.js';
/** `toolfold ui` shows the tools of a saved list as a gateway would offer them. */
export { toDefinitions } from './upstream/tools.js';
/** Commands explain why a server's answer could not be read. */
export { isInvalidAnswer, isTooLarge } from './upstream/untrusted-messages.js';
