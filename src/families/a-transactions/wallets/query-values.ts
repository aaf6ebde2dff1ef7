type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what a query does not hold. */
export const present = <T extends Record<string, unknown>>(values: T): Present<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;

export const pageOf = ({ limit, offset, cursor }: { limit: number; offset: number; cursor?: string | undefined }) => ({
  limit,
  offset,
  ...present({ cursor }),
});
