export interface CoreImportFacts {
  readonly ranged: boolean;
  /** Unix seconds before which there is nothing to find; 0 scans all. */
  readonly timestamp: number;
  /** Indexes that were given out. */
  readonly nextExternal: number;
  readonly nextInternal: number;
}

/** Bitcoin Core's default keypool: how far ahead it watches. */
const AHEAD = 1_000;

/** The argument of Bitcoin Core's `importdescriptors`, as JSON. */
export function coreImport(
  { external, internal }: { external: string; internal: string | null },
  { ranged, timestamp, nextExternal, nextInternal }: CoreImportFacts,
): string {
  const request = (desc: string, change: boolean, next: number) => ({
    desc,
    timestamp,
    // A fixed descriptor derives no new addresses, so that it cannot be an active one.
    ...(ranged ? { active: true, internal: change, range: [0, next + AHEAD - 1], next_index: next } : {}),
  });
  const requests = [request(external, false, nextExternal)];
  if (internal !== null) requests.push(request(internal, true, nextInternal));
  return JSON.stringify(requests, null, 2);
}
