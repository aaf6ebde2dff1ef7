import { DomainError } from '../../../core/errors.ts';

/** What the frames of one picture show came to, so far. */
export interface Scanned {
  readonly format: 'ur' | 'bbqr';
  /** Frames that carry the content once. */
  readonly total: number;
  /** How many of those are known, read or worked out. */
  readonly received: number;
  /** Numbers from 1 of those that are not. */
  readonly missing: readonly number[];
  /** Null while some are missing. */
  readonly content: { readonly kind: 'psbt' | 'transaction'; readonly bytes: Uint8Array } | null;
}

/** Most frames of one request: a QR code is shown four to ten times a second, so that this many take minutes. */
export const MAX_FRAMES = 2000;
/** Bytes that frames may unpack to: as many as a request may have. */
export const MAX_CONTENT_BYTES = 10 * 1024 * 1024;

/** A frame that is not what it must be, by its place among those that were sent. */
export const badFrame = (index: number, sentence: string): DomainError =>
  new DomainError('invalid_value', `frames[${index}] ${sentence}`, { field: `frames[${index}]` });

/** Numbers from 1 that are in no slot. */
export const missingOf = (slots: readonly (Uint8Array | undefined)[], total: number): number[] =>
  Array.from({ length: total }, (_, index) => index + 1).filter((number) => slots[number - 1] === undefined);
