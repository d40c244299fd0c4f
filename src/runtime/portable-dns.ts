/** Workers cannot look names up. Their requests start in the network of the platform, not in that of the operator. */
export async function resolveHost(_hostname: string): Promise<readonly string[]> {
  return [];
}
