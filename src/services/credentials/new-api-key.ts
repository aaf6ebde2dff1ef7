/** The form of API keys, `ak_<8>_<43>` in base62, and the record that is stored for one: of the key itself only the SHA-256. */
import { hash } from 'node:crypto';
import type { Rights, Role, Tier } from '../../core/access.ts';
import { base62, newId } from '../../core/ids.ts';
import type { ApiKeyRecord } from '../../store/records.ts';

const KEY_FORM = /^ak_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}$/;

export interface NewApiKey extends Partial<Rights> {
  role: Role;
  scopes: readonly string[];
  tier: Tier;
  accountId: string;
  name: string;
  /** The credential that makes it; null for the first start and the command line. */
  createdBy?: string | null;
}

/** A fresh key and the record to store for it. */
export function newApiKey(
  key: NewApiKey,
  randomBytes: (size: number) => Uint8Array,
  at: number,
): { apiKey: string; record: ApiKeyRecord } {
  const prefix = base62(randomBytes(16), 8);
  const apiKey = `ak_${prefix}_${base62(randomBytes(64), 43)}`;
  const record: ApiKeyRecord = {
    keyId: newId('key', randomBytes),
    accountId: key.accountId,
    name: key.name,
    prefix,
    secretHash: secretHash(apiKey),
    role: key.role,
    scopes: key.scopes,
    tier: key.tier,
    limits: key.limits ?? null,
    allowedIps: key.allowedIps ?? null,
    requireSignature: key.requireSignature ?? true,
    mayGrant: key.mayGrant ?? false,
    createdBy: key.createdBy ?? null,
    rotatedTo: null,
    overlapEndsAt: null,
    expiresAt: key.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: at,
  };
  return { apiKey, record };
}

/** What is stored of a key. */
export const secretHash = (apiKey: string): string => hash('sha256', apiKey, 'hex');

/** The 8 public characters of a key, '' where it is none. */
export const keyPrefix = (apiKey: string): string => KEY_FORM.exec(apiKey)?.[1] ?? '';

/** When a key ends by itself: its expiry or the end of its rotation, whichever is first; null where neither. */
export function endOf({ expiresAt, overlapEndsAt }: Pick<ApiKeyRecord, 'expiresAt' | 'overlapEndsAt'>): number | null {
  if (expiresAt === null || overlapEndsAt === null) return expiresAt ?? overlapEndsAt;
  return Math.min(expiresAt, overlapEndsAt);
}

/** Whether a key may be used at a time. */
export function isActive(record: Pick<ApiKeyRecord, 'revokedAt' | 'expiresAt' | 'overlapEndsAt'>, at: number): boolean {
  const end = endOf(record);
  return record.revokedAt === null && (end === null || end > at);
}
