/** What is known of a caller that was verified, in the SDK's form. Whoever verified it may add more. */
export interface CallerAuth {
  /** The token itself, as it came. */
  readonly token?: string | undefined;
  /** The client that was registered with whoever gave out the token, or the name of the key. */
  readonly clientId?: string | undefined;
  /** What the caller may do. */
  readonly scopes?: readonly string[] | undefined;
  /** Seconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** What else is known, such as the claims of a token. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Whatever else the verifier of the SDK adds. */
  readonly [more: string]: unknown;
}

/** Who is calling, as far as the edge has found out. */
export interface Caller {
  /** What the authorization layer verified. */
  readonly auth?: CallerAuth | undefined;
  /** The name and version that the client reports. */
  readonly client?:
    | {
        /** As the client gives it. */
        readonly name: string;
        /** As the client gives it. */
        readonly version: string;
      }
    | undefined;
  /** What the client says it can do: `elicitation`, `sampling`, `roots`, and extensions. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The 2025-era session, where there is one. */
  readonly sessionId?: string | undefined;
  /** The IP address that the request came from, behind `trustedProxies` the one that the proxies have seen. */
  readonly address?: string | undefined;
}
