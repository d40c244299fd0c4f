/** Workers cannot look up host names. Their requests start in the platform's network, not in the operator's. */
export async function resolveHost(_hostname: string): Promise<readonly string[]> {
  return [];
}
