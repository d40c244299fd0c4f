interface ParsedArguments {
  /** The arguments to show: formatted, if they are JSON. */
  readonly text: string | undefined;
  /** The arguments as an object, to call again. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  /** Whether the server has cut the text, so that it is not valid JSON. */
  readonly isCut: boolean;
}

/** Reads the arguments of a live call, which the server cuts if they are long. */
export function parseArguments(written: string | undefined): ParsedArguments {
  if (written === undefined) return { text: undefined, value: {}, isCut: false };
  try {
    const value: unknown = JSON.parse(written);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return {
      text: isObject && Object.keys(value).length === 0 ? undefined : JSON.stringify(value, null, 2),
      value: isObject ? (value as Readonly<Record<string, unknown>>) : undefined,
      isCut: false,
    };
  } catch {
    return { text: written, value: undefined, isCut: true };
  }
}

/**
 * The arguments of the action itself, as Try sends them: without the argument that names the action, and without the wrapper of
 * `call_read_tool` and `call_write_tool`.
 */
export function ownArguments(
  sent: Readonly<Record<string, unknown>>,
  address: string,
  discriminator: string | undefined,
): Readonly<Record<string, unknown>> {
  const { address: called, arguments: inner } = sent;
  const isWrapped =
    called === address && typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const own = isWrapped ? (inner as Readonly<Record<string, unknown>>) : sent;
  return Object.fromEntries(Object.entries(own).filter(([name]) => name !== discriminator));
}
