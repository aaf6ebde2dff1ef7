/** Pages that are made in groups, in a worker thread, once (make-pages.ts). */

/** `sections`: what the guide searches, as JSON. */
export type PageGroup = 'guides' | 'reference' | 'sections';
/** UTF-8, by name. */
export type Pages = Readonly<Record<string, Uint8Array>>;
/** Has them made in a worker thread. */
export type MakePages = (group: PageGroup) => Promise<Pages>;

/** Answers how to get one page of a group, which is made when the first of them is asked for. */
export function pagesOf(group: PageGroup, make: MakePages): (name: string) => Promise<Uint8Array> {
  let made: Promise<Pages> | null = null;
  return async (name) => {
    made ??= make(group).catch((error: unknown) => {
      made = null;
      throw error;
    });
    const page = (await made)[name];
    if (page === undefined) throw new Error(`there is no page ${name}`);
    return page;
  };
}
