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
  /** The enabled toolsets. */
  readonly current: EnabledKeys;
  /** Applies changes one at a time. If `derive` returns another value than it got, the client is notified once. */
  change(derive: (current: EnabledKeys) => EnabledKeys | Promise<EnabledKeys>): Promise<void>;
}

/** The keys of enabled toolsets; `undefined` until the client enables or disables one. */
type EnabledKeys = readonly string[] | undefined;
