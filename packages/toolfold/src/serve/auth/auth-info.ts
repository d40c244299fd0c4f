/** A verified caller, in the form of the MCP SDK. Its own type of this name needs the types of Node, which workers do not have. */
export interface AuthInfo {
  /** The access token that the caller sent. */
  token: string;
  /** The client id that the token was issued to, or the name of the API key. */
  clientId: string;
  /** The scopes that the token grants. */
  scopes: string[];
  /** When the token expires, in seconds since 1970. */
  expiresAt?: number;
  /** The server that the token is for (RFC 8707). */
  resource?: URL;
  /** The address of the metadata of that server (RFC 9728). */
  resourceMetadataUrl?: string;
  /** Further data, such as the claims of the token. */
  extra?: Record<string, unknown>;
}
