/**
 * An audit record as text: JSON in the canonical form of RFC 8785 (members sorted, no blanks), written by hand because it is on every
 * write's path. These bytes are what is hashed; nothing is ever taken out of them or put in.
 */
import type { AccountId } from '../../core/ids.ts';
import type { CredentialKind, RequestFacts, RequestSignature } from '../requests/request-context.ts';

/** The log of what no account is known for. */
export const SERVICE_LOG = 'service';

/** Longer paths are cut: whoever is refused must not fill the log. */
const MAX_PATH = 2_048;

/** Who changed something. Without a request: whoever ran the `ashlar` command, by the system's name for them; the service itself. */
export interface AuditedCredential {
  readonly kind: CredentialKind | 'command' | 'service';
  readonly id: string;
  readonly requireSignature: boolean;
}

export interface AuditEntryInput {
  readonly id: string;
  readonly logId: string;
  readonly accountId: AccountId | null;
  readonly time: number;
  readonly credential: AuditedCredential | null;
  /** null for what was changed without one. */
  readonly request: (Omit<RequestFacts, 'operation'> & { readonly id: string }) | null;
  /** Operation id. */
  readonly operation: string;
  /** `done`, or the slug of a refusal. */
  readonly outcome: string;
  readonly target: string | null;
  /** What the record fixes besides. */
  readonly commitment?: string | undefined;
  readonly call?: AuditedCall | undefined;
}

/** What a model was asked, without a word of it: digests are keyed, so that a short text cannot be found by trying. */
export interface AuditedCall {
  readonly model: string;
  /** null: none answered. */
  readonly upstream: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Nobody counted them. */
  readonly estimated: boolean;
  /** US dollars. */
  readonly cost: string;
  /** HMAC-SHA-256, hex; null where there is no such text. */
  readonly promptDigest: string | null;
  readonly answerDigest: string | null;
}

const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value));

export function auditEntry(record: AuditEntryInput): string {
  const { request } = record;
  return (
    `{"account":${text(record.accountId)}${callText(record.call)}${record.commitment === undefined ? '' : `,"commitment":${text(record.commitment)}`},"credential":${credentialText(record.credential)}` +
    `,"digest":${text(request?.contentDigest ?? null)},"id":"${record.id}","log":${text(record.logId)}` +
    `,"method":${text(request?.method ?? null)},"operation":${text(record.operation)},"outcome":${text(record.outcome)}` +
    `,"path":${pathText(request?.target)},"remote_address":${text(request?.remoteAddress ?? null)}` +
    `,"request_id":${text(request?.id ?? null)},"signature":${signatureText(request?.signature ?? null)}` +
    `,"target":${text(record.target)}` +
    `,"time":"${new Date(record.time).toISOString()}","version":1}`
  );
}

const callText = (call: AuditedCall | undefined): string =>
  call === undefined
    ? ''
    : `,"call":{"answer_digest":${text(call.answerDigest)},"completion_tokens":${call.completionTokens},"cost_usd":"${call.cost}"` +
      `,"estimated":${call.estimated},"model":${text(call.model)},"prompt_digest":${text(call.promptDigest)}` +
      `,"prompt_tokens":${call.promptTokens},"upstream":${text(call.upstream)}}`;

const pathText = (path: string | undefined): string =>
  text(path !== undefined && path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : (path ?? null));

const credentialText = (credential: AuditEntryInput['credential']): string =>
  credential === null
    ? 'null'
    : `{"id":${text(credential.id)},"kind":"${credential.kind}","signature_required":${credential.requireSignature}}`;

const signatureText = (signature: RequestSignature | null): string =>
  signature === null
    ? 'null'
    : `{"algorithm":${text(signature.algorithm)},"base":${text(signature.base)}` +
      `,"created":"${new Date(signature.createdAt).toISOString()}","key_id":${text(signature.keyId)}` +
      `,"nonce":${text(signature.nonce)},"value":${text(signature.value)}}`;
