/** What a request asks for. It can only narrow what the operator allows. */
export interface Selection {
  /** Only these toolsets. */
  readonly toolsets?: readonly string[];
  /** Only these tools and actions, by name or address. */
  readonly tools?: readonly string[];
  /** None of these tools and actions. */
  readonly excludeTools?: readonly string[];
  /** Only what changes nothing. */
  readonly readOnly?: boolean;
}

/** The toolsets that are enabled in a session of 2025. */
export interface EnabledToolsets {
  /** What is enabled now; nothing until the client has enabled or disabled one. */
  readonly current: EnabledKeys;
  /** One change at a time. Unless `derive` gives back what it got, the client is told, once. */
  change(derive: (current: EnabledKeys) => EnabledKeys | Promise<EnabledKeys>): Promise<void>;
}

/** `undefined` as long as nothing was enabled or disabled. */
export type EnabledKeys = readonly string[] | undefined;
