/**
 * What a data key is wrapped for. Every kind says in wrapped-keys.ts where it is kept, so that it is wrapped anew when the master key
 * changes: a kind that is missing there does not compile.
 */
export type WrapKind = 'service' | 'wallet' | 'wallet backup' | 'oracle' | 'nonces' | 'connection' | 'master key';
export type WrapContext = WrapKind | `${WrapKind} ${string}`;

/**
 * Holds the key that wraps data keys, and nothing else: a file by default; a key management service fits the same shape.
 * `context` is bound to the wrapped key as associated data: it unwraps under the same context only.
 */
export interface KeyProvider {
  /** Names the wrapping key, without telling anything of it; kept beside what it wraps. */
  readonly keyId: string;
  /** Whether it unwraps what the key of this name wrapped: its own, or one that it took the place of. */
  opens(keyId: string): boolean;
  wrap(dataKey: Uint8Array, context: WrapContext): Promise<Uint8Array>;
  /** The caller overwrites the answer when done. Throws where the key, the context or the bytes are not the ones of `wrap`. */
  unwrap(wrapped: Uint8Array, context: WrapContext): Promise<Uint8Array>;
  /** A value that only this key gives, to recognise it at the next start. */
  checkValue(): Promise<string>;
}
