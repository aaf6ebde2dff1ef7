import { noteKeyId, verifierText } from '../../core/merkle/signed-note.ts';
import type { LogKeys } from './log-keys.ts';

/** A key as a verifier of one log knows it: the key id depends on the log's name. */
export interface LogKeyView {
  readonly keyId: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
  /** `<name>+<key id>+<key>`, as C2SP's signed-note tools take it. */
  readonly verifier: string;
  readonly createdAt: number;
}

/** Oldest first; the last one signs. */
export async function logKeyViews(keys: LogKeys, logId: string): Promise<LogKeyView[]> {
  const name = `${await keys.origin()}/${logId}`;
  return (await keys.list()).map(({ publicKey, createdAt }) => ({
    keyId: noteKeyId({ name, publicKey }),
    publicKey,
    verifier: verifierText({ name, publicKey }),
    createdAt,
  }));
}
