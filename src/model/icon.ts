/** A picture a client may show beside an item. */
export interface Icon {
  /** An address of the picture: `https:` or `data:`. */
  src: string;
  /** The type of the picture, where its address does not tell. */
  mimeType?: string;
  /** Such as `48x48`, or `any` for a scalable picture. */
  sizes?: string[];
  /** The background that it was drawn for. Default: any. */
  theme?: 'light' | 'dark';
}
