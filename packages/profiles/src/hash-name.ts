/** FNV-1a over UTF-16, as eight hexadecimal digits. It distinguishes names and is not cryptographic. */
export function hashName(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
