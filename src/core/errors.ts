/**
 * The closed union of what can go wrong in the domain. hooks/refusals/errors.ts maps each code to a status and to family A's code;
 * a code missing there does not compile. `details.code` of an answer is one of these slugs.
 */
export type DomainErrorCode =
  // malformed (400)
  | 'invalid_value'
  | 'invalid_amount'
  | 'invalid_fee_rate'
  | 'invalid_address'
  | 'wrong_network'
  | 'invalid_descriptor'
  | 'invalid_mnemonic'
  | 'invalid_backup'
  | 'invalid_label_file'
  | 'invalid_psbt'
  | 'invalid_key'
  | 'invalid_script'
  | 'invalid_transaction'
  | 'invalid_signature'
  | 'invalid_message'
  | 'unsupported'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  // well-formed, impossible (422)
  | 'insufficient_funds'
  | 'dust'
  | 'fee_too_high'
  | 'fee_too_low'
  | 'no_fee_estimate'
  | 'not_enough_data'
  | 'amount_too_small_for_fee'
  | 'too_large'
  | 'time_out_of_range'
  | 'too_many_ancestors'
  | 'truc_violation'
  | 'coin_unavailable'
  | 'nothing_to_spend'
  | 'signing_unavailable'
  | 'policy_refused'
  | 'idempotency_mismatch'
  | 'psbt_not_modifiable'
  | 'psbt_mismatch'
  | 'psbt_incomplete'
  | 'nothing_signed'
  | 'unsafe_to_sign'
  | 'not_representable'
  | 'not_a_participant'
  | 'no_index'
  | 'source_incapable'
  | 'contract_refused'
  | 'announcement_missing'
  | 'connection_failed'
  | 'not_configured'
  // state conflict (409)
  | 'state_conflict'
  | 'descendants_would_be_evicted'
  | 'birthday_pruned'
  | 'idempotency_in_flight'
  | 'already_exists'
  | 'attestation_missing'
  | 'oracle_frozen'
  | 'outcome_conflict'
  // another version than If-Match names (412)
  | 'precondition_failed'
  // it was there (410)
  | 'gone'
  // not there, not allowed
  | 'not_found'
  | 'unauthorized'
  | 'totp_required'
  | 'signature_missing'
  | 'signature_invalid'
  | 'nonce_reused'
  | 'forbidden'
  | 'policy_denied'
  // later (503)
  | 'node_unavailable'
  | 'node_syncing'
  | 'unavailable'
  // Too large a body, wrong media type, and the like, raised by the HTTP layer
  | 'rate_limited';

export interface FieldError {
  readonly field: string;
  readonly reason: string;
}

/** One step of something that was tried, and how it went. */
export interface TriedStep {
  readonly step: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  readonly detail: string;
}

export interface DomainErrorDetails {
  /** Path of the offending field as the caller wrote it: `recipients[0].amount`, `query.limit`. */
  readonly field?: string;
  /** Further facts for people, merged into `details.reason`. */
  readonly reason?: string;
  /** All that is wrong in a part of the request, the first as `field` and `reason` say; as far as it is listed. */
  readonly errors?: readonly FieldError[];
  /** Of what was tried: how far it came. */
  readonly steps?: readonly TriedStep[];
  /** Seconds after which a retry makes sense (409 in flight, 503). */
  readonly retryAfterSeconds?: number;
}

/** Asking again would not help: the chain source has no index of it, does not keep it (pruned), or has no such call. */
export const SOURCE_LIMIT_CODES = ['no_index', 'source_incapable'] as const satisfies readonly DomainErrorCode[];

/** Whether the chain source could not answer, for good or for reasons of its own; one that is away is neither. */
export const isWithoutAnswer = (error: unknown): error is DomainError =>
  error instanceof DomainError &&
  !(error instanceof StoreUnavailable) &&
  (error.code === 'unavailable' || SOURCE_LIMIT_CODES.some((code) => code === error.code));

/** An expected refusal. `message` is a sentence that says what is wrong and what would be right; never a secret in it. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly details: DomainErrorDetails;

  constructor(code: DomainErrorCode, message: string, details: DomainErrorDetails = {}) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.details = details;
  }

  /** The same refusal, said of `field`. */
  at(field: string): DomainError {
    return new DomainError(this.code, this.message, { ...this.details, field });
  }
}

/** So many of the things that are wrong are listed. */
export const MAX_ERRORS = 20;

/** Throws the first of these, which lists all of them; nothing where there is none. */
export function refuseAll(refusals: readonly DomainError[]): void {
  const [first] = refusals;
  if (first === undefined) return;
  const errors = refusals
    .slice(0, MAX_ERRORS)
    .map(({ message, details }): FieldError => ({ field: details.field ?? '', reason: message }));
  throw new DomainError(first.code, first.message, { ...first.details, errors });
}

/** The database does not answer, or takes no writes: what was asked has not happened. `cause` is the driver's own error, for the log. */
export class StoreUnavailable extends DomainError {
  /** What only reads is served. */
  readonly writesOnly: boolean;

  constructor(message: string, options: { cause: unknown; retryAfterSeconds: number; writesOnly?: boolean }) {
    super('unavailable', message, { retryAfterSeconds: options.retryAfterSeconds });
    this.cause = options.cause;
    this.writesOnly = options.writesOnly ?? false;
  }
}
