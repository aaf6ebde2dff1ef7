/** Reads what strangers publish under URLs that others chose: no answer can hurt, and no question reaches what only this machine can. */

export interface Fetched {
  readonly kind: 'json' | 'text' | 'binary';
  /** At most as many bytes as the reader takes. */
  readonly body: Uint8Array;
}

/** Closed: what went wrong, without a word of what the other side said. */
export const FETCH_FAILURES = [
  'url_refused',
  'address_refused',
  'not_resolved',
  'no_connection',
  'timed_out',
  'too_large',
  'redirected',
  'status',
  'content_type',
  'content_encoding',
  'broken',
  'too_many',
  'aborted',
] as const;
export type FetchFailure = (typeof FETCH_FAILURES)[number];
/** How a question ended: with an answer, with the word that there is none (404), or with a failure. */
export type FetchResult = 'answered' | 'not_found' | FetchFailure;

const SAYS: Readonly<Record<FetchFailure, string>> = {
  url_refused: 'the URL is not one that is asked',
  address_refused: 'its host has an address that is not asked: private, loopback, link-local or reserved',
  not_resolved: 'its host has no address',
  no_connection: 'it takes no connection',
  timed_out: 'it took too long',
  too_large: 'its answer is too large',
  redirected: 'it redirects elsewhere, which is not followed',
  status: 'it answers neither 200 nor 404',
  content_type: 'its answer is neither JSON nor text nor binary by its Content-Type',
  content_encoding: 'its answer is compressed, which was not asked for',
  broken: 'its answer broke off, or is no HTTP',
  too_many: 'too many are being asked at once',
  aborted: 'the service is closing',
};

export class FetchFailed extends Error {
  readonly failure: FetchFailure;
  constructor(failure: FetchFailure) {
    super(SAYS[failure]);
    this.name = 'FetchFailed';
    this.failure = failure;
  }
}

export interface Fetching {
  /** Why a URL would not be asked, to be said to whoever gave it; null where it would be. Names are not resolved here. */
  problem(url: string): string | null;
  /** GET. null: 404. Throws FetchFailed and nothing else. `accountId`: who named the URL; each has a few at once, so that none is in another's way. */
  get(url: string, signal?: AbortSignal, accountId?: string): Promise<Fetched | null>;
}
