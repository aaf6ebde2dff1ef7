/** An audit record as it is hashed: the members of its canonical JSON (services/audit/audit-entry.ts writes it). */
export interface AuditEntry {
  readonly account: string | null;
  /** What the record fixes besides, so that it cannot be changed later (core/governance/commitments.ts); most have none. */
  readonly commitment?: string;
  /** kind: api_key, oauth_client, person; without a request `command` (id: the system's name for who ran it) or `service`. */
  readonly credential: { readonly id: string; readonly kind: string; readonly signature_required: boolean } | null;
  /** RFC 9530 sha-256 of the request's body. */
  readonly digest: string | null;
  readonly id: string;
  readonly log: string;
  /** This and path, remote_address and request_id: null for what was changed without a request. */
  readonly method: string | null;
  readonly operation: string;
  /** `done`, or the slug of a refusal. */
  readonly outcome: string;
  /** Path and query as sent. */
  readonly path: string | null;
  readonly remote_address: string | null;
  readonly request_id: string | null;
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
