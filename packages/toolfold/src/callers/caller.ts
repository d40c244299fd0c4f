/** A verified caller, in the form of the SDK's `AuthInfo`. Authenticators may add fields. */
export interface CallerAuth {
  /** The access token that the caller sent. */
  readonly token?: string | undefined;
  /** The client id that the token was issued to, or the name of the API key. */
  readonly clientId?: string | undefined;
  /** The scopes that the token grants. */
  readonly scopes?: readonly string[] | undefined;
  /** When the token expires, in seconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** Further data, such as the claims of the token. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** Fields that the authenticator adds. */
  readonly [more: string]: unknown;
}

/** Describes who sent a request: the verified identity, and what the client reports about itself. */
export interface Caller {
  /** The verified identity, if the request was authenticated. */
  readonly auth?: CallerAuth | undefined;
  /** The name and version that the client reports. */
  readonly client?:
    | {
        /** As reported by the client; not verified. */
        readonly name: string;
        /** As reported by the client; not verified. */
        readonly version: string;
      }
    | undefined;
  /** The client's capabilities: `elicitation`, `sampling`, `roots` and extensions. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The id of the 2025 session, if the request belongs to one. */
  readonly sessionId?: string | undefined;
  /** The IP address of the client. Behind `trustedProxies` it is the address that the outermost proxy has seen. */
  readonly address?: string | undefined;
}

/** The tools that a request asks for. It can only narrow what the operator allows. */
export interface Selection {
  /** Include only these toolsets. */
  readonly toolsets?: readonly string[];
  /** Include only these tools and actions, by name or address. */
  readonly tools?: readonly string[];
  /** Exclude these tools and actions. */
  readonly excludeTools?: readonly string[];
  /** Include only read-only actions. */
  readonly readOnly?: boolean;
}

/** The toolsets that a 2025 session has enabled. */
export interface EnabledToolsets {
  /** The toolsets that are enabled now. */
  readonly current: EnabledKeys;
  /** Applies changes one at a time. If `derive` returns another value than it got, the client is notified once. */
  change(derive: (current: EnabledKeys) => EnabledKeys | Promise<EnabledKeys>): Promise<void>;
}

/** The keys of enabled toolsets; `undefined` until the client enables or disables one. */
type EnabledKeys = readonly string[] | undefined;
