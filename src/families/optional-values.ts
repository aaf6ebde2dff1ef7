type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The values without those that are undefined. */
export const omitUndefined = <T extends Record<string, unknown>>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;

/** A page as a query asks for it. */
export const pageOf = ({ limit, offset, cursor }: { limit: number; offset: number; cursor?: string | undefined }) => ({
  limit,
  offset,
  ...omitUndefined({ cursor }),
});
