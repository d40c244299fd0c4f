import { config } from 'zod/v4/core';

/**
 * Zod probes whether it may compile code, which the content security policy of the page forbids and reports. The schemas of the MCP
 * client are made when its module loads, so this module must be imported before it.
 */
export const zodSettings = config({ jitless: true });
