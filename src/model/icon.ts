/** A picture a client may show beside an item. */
export interface Icon {
  src: string;
  mimeType?: string;
  /** Such as `48x48`, or `any` for a scalable picture. */
  sizes?: string[];
  theme?: 'light' | 'dark';
}
