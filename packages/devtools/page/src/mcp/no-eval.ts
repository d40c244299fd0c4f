import { config } from 'zod/v4/core';

/**
 * Zod probes whether it may compile code, which the page's content security policy forbids and reports. The MCP client creates its
 * schemas when it loads, so this module must be imported first.
 */
export const zodSettings = config({ jitless: true });
