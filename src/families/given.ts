type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what a request does not hold. */
export const given = <T extends Record<string, unknown>>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;

/** A page as a query asks for it. */
export const pageOf = ({ limit, offset, cursor }: { limit: number; offset: number; cursor?: string | undefined }) => ({
  limit,
  offset,
  ...given({ cursor }),
});
