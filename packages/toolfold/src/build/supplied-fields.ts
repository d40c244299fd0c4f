/** Makes the fields that a resolver supplies required. */
export type Filled<Fields, Name> = Omit<Fields, keyof Fields & Name> & {
  [K in keyof Fields & Name]-?: Exclude<Fields[K], undefined>;
};

/** Makes the fields that a resolver supplies optional for callers. */
export type Supplied<Fields, Name> = Omit<Fields, keyof Fields & Name> & {
  [K in keyof Fields & Name]?: Fields[K];
};
