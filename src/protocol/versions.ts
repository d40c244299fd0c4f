/** The first stateless revision of MCP. Earlier revisions have sessions. */
export const MODERN = '2026-07-28';

export function isModern(protocolVersion: string | undefined): boolean {
  return protocolVersion !== undefined && protocolVersion >= MODERN;
}

/** The version of this package; a test keeps it equal to the manifest's. */
export const packageVersion = '0.1.0';
