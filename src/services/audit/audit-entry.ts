/**
 * An audit record as text: JSON in the canonical form of RFC 8785 (members sorted, no blanks), written by hand because it is on every
 * write's path. These bytes are what is hashed; nothing is ever taken out of them or put in.
 */
import type { Credential, RequestFacts, RequestSignature } from '../requests/request-context.ts';

/** Longer paths are cut: whoever is refused must not fill the log. */
const MAX_PATH = 2_048;

export interface AuditEntryInput {
  readonly id: string;
  readonly logId: string;
  readonly accountId: string | null;
  readonly time: number;
  readonly requestId: string;
  readonly credential: Pick<Credential, 'id' | 'kind' | 'requireSignature'> | null;
  readonly facts: RequestFacts;
  /** `done`, or the slug of a refusal. */
  readonly outcome: string;
  readonly target: string | null;
}

const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value));

export function auditEntry(record: AuditEntryInput): string {
  const { facts } = record;
  const path = facts.target.length > MAX_PATH ? `${facts.target.slice(0, MAX_PATH)}…` : facts.target;
  return (
    `{"account":${text(record.accountId)},"credential":${credentialText(record.credential)}` +
    `,"digest":${text(facts.contentDigest)},"id":"${record.id}","log":${text(record.logId)}` +
    `,"method":${text(facts.method)},"operation":${text(facts.operation)},"outcome":${text(record.outcome)}` +
    `,"path":${text(path)},"remote_address":${text(facts.remoteAddress)},"request_id":${text(record.requestId)}` +
    `,"signature":${signatureText(facts.signature)},"target":${text(record.target)}` +
    `,"time":"${new Date(record.time).toISOString()}","version":1}`
  );
}

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
