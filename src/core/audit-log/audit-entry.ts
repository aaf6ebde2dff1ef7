/** An audit record as it is hashed: the members of its canonical JSON (services/audit/audit-entry.ts writes it). */
export interface AuditEntry {
  readonly account: string | null;
  readonly credential: { readonly id: string; readonly kind: string; readonly signature_required: boolean } | null;
  /** RFC 9530 sha-256 of the request's body. */
  readonly digest: string | null;
  readonly id: string;
  readonly log: string;
  readonly method: string;
  readonly operation: string;
  /** `done`, or the slug of a refusal. */
  readonly outcome: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly remote_address: string;
  readonly request_id: string;
  readonly signature: {
    readonly algorithm: string;
    readonly base: string | null;
    readonly created: string;
    readonly key_id: string;
    readonly nonce: string;
    readonly value: string | null;
  } | null;
  /** Id of what was made or changed. */
  readonly target: string | null;
  readonly time: string;
  readonly version: 1;
}
