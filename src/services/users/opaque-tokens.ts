/** Tokens that mean nothing by themselves: 256 random bits in base62 behind a prefix. Only their digest is stored. */
import { hash } from 'node:crypto';
import { base62 } from '../../core/ids.ts';

export type TokenKind = 'refresh' | 'reset';

const PREFIX: Readonly<Record<TokenKind, string>> = { refresh: 'rt', reset: 'pr' };

export const newOpaqueToken = (kind: TokenKind, randomBytes: (size: number) => Uint8Array): string =>
  `${PREFIX[kind]}_${base62(randomBytes(64), 43)}`;

/** SHA-256, hex; null for what has not the form of such a token. */
export const tokenDigest = (kind: TokenKind, token: string): string | null =>
  new RegExp(`^${PREFIX[kind]}_[0-9A-Za-z]{43}$`).test(token) ? hash('sha256', token, 'hex') : null;
