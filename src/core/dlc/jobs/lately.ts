/** What was made last, by key: of more than `most`, the one that was asked for longest ago goes. */
export interface Lately<Made> {
  /** undefined where it is not known. */
  find(key: string): Made | undefined;
  keep(key: string, made: Made): Made;
}

export function lately<Made>(most: number): Lately<Made> {
  const kept = new Map<string, Made>();
  function keep(key: string, made: Made): Made {
    kept.delete(key);
    kept.set(key, made);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return made;
  }
  return {
    find: (key) => {
      const made = kept.get(key);
      return made === undefined ? undefined : keep(key, made);
    },
    keep,
  };
}
