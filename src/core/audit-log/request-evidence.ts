/** Whether what an audit entry keeps of a request's signature holds, from the entry and the public key alone. */
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import type { PublicJwk } from '../request-signatures/signing-algorithm.ts';
import type { AuditEntry } from './audit-entry.ts';

export interface EvidenceKey {
  readonly jwk: PublicJwk;
  readonly key: KeyObject;
}

export const evidenceKey = (jwk: PublicJwk): EvidenceKey => ({
  jwk,
  key: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }),
});

/** What is wrong with the signature of an entry that keeps base and value; null where it holds and says what the entry says. */
export function evidenceProblem(entry: AuditEntry, { jwk, key }: EvidenceKey): string | null {
  const { signature } = entry;
  if (signature === null || signature.base === null || signature.value === null) return null;
  const base = Buffer.from(signature.base, 'latin1');
  const value = Buffer.from(signature.value, 'base64');
  const holds =
    jwk.crv === 'Ed25519'
      ? verify(null, base, key, value)
      : verify('sha256', base, { key, dsaEncoding: 'ieee-p1363' }, value);
  if (!holds) return 'the signature of its request does not verify under its key';
  const claims: [string, string | null][] = [
    ['method', `"@method": ${entry.method}`],
    ['digest', entry.digest === null ? null : `"content-digest": ${entry.digest}`],
  ];
  const lines = signature.base.split('\n');
  const other = claims.find(([, line]) => line !== null && !lines.includes(line));
  if (other !== undefined) return `its ${other[0]} is not what its request's signature covers`;
  const parameters = lines.at(-1) ?? '';
  if (!parameters.includes(`;keyid="${signature.key_id}"`))
    return "its key is not the one its request's signature names";
  if (!parameters.includes(`;nonce="${signature.nonce}"`))
    return "its nonce is not the one its request's signature names";
  return null;
}
