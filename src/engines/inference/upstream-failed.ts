/** Closed: how a question to an upstream ended without an answer. Also the `result` of the metrics. */
const FAILURES = {
  no_connection: 'takes no connection',
  timed_out: 'took too long',
  broken_off: 'broke its answer off',
  malformed: 'answers what is no answer of this protocol',
  too_large: 'answers more than is taken',
  redirected: 'redirects elsewhere, which is not followed',
  failing: 'is out of order',
  limited: 'limits its callers',
  busy: 'has no place free',
  misconfigured: 'refuses the service itself',
  too_long: 'takes no request of this length',
  refused: 'refuses the request',
} as const;
export type UpstreamFailure = keyof typeof FAILURES;

/** An outage of the upstream: so many in a row, and it is not asked for a while. The others say nothing about the next question. */
const OUTAGES: readonly UpstreamFailure[] = [
  'no_connection',
  'timed_out',
  'broken_off',
  'malformed',
  'too_large',
  'redirected',
  'failing',
];
/** Asking it again soon may help. */
const PASSING: readonly UpstreamFailure[] = [
  'no_connection',
  'timed_out',
  'broken_off',
  'malformed',
  'failing',
  'limited',
];

interface FailedOptions {
  /** Its HTTP status, or a code of the system's: nothing of what it wrote. */
  readonly reason?: string;
  /** As Retry-After says, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Which parameter of the request is refused. */
  readonly field?: string;
}

/** The message holds nothing of what the upstream said. */
export class UpstreamFailed extends Error {
  readonly failure: UpstreamFailure;
  readonly reason: string | undefined;
  readonly retryAfterMs: number;
  readonly field: string | undefined;

  constructor(failure: UpstreamFailure, { reason, retryAfterMs = 0, field }: FailedOptions = {}) {
    super(`it ${FAILURES[failure]}${reason === undefined ? '' : ` (${reason})`}`);
    this.name = 'UpstreamFailed';
    this.failure = failure;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.field = field;
  }

  get isOutage(): boolean {
    return OUTAGES.includes(this.failure);
  }

  /** Whether the same request may be answered by this upstream a little later. */
  get isPassing(): boolean {
    return PASSING.includes(this.failure);
  }
}
