/** The error codes of JSON-RPC and MCP. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** Used by the MCP SDKs for requests that are rejected before they are read; JSON-RPC has no code for that. */
export const REJECTED = -32_000;
/** Used by the MCP SDKs for a session that does not exist. */
export const SESSION_NOT_FOUND = -32_001;
export const HEADER_MISMATCH = -32_020;
export const MISSING_CAPABILITY = -32_021;
export const UNSUPPORTED_VERSION = -32_022;
/** The client must open a URL before it repeats the request. */
export const URL_REQUIRED = -32_042;
