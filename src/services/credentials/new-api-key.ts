/** The form of API keys, `ak_<8>_<43>` in base62, and the record that is stored for one: of the key itself only the SHA-256. */
import { base62, newId } from '../../core/ids.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import { freshCredential, type NewCredential } from './credential-record.ts';

const KEY_FORM = /^ak_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}$/;

export interface NewApiKey extends NewCredential {
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
    ...freshCredential(key, apiKey, at),
    keyId: newId('key', randomBytes),
    prefix,
    createdBy: key.createdBy ?? null,
    rotatedTo: null,
    overlapEndsAt: null,
  };
  return { apiKey, record };
}

/** The 8 public characters of a key, '' where it is none. */
export const keyPrefix = (apiKey: string): string => KEY_FORM.exec(apiKey)?.[1] ?? '';
