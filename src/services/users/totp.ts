/** Time-based one-time codes (RFC 6238): SHA-1, 6 digits, 30 seconds, what every authenticator app speaks. */
import { Secret, TOTP } from 'otpauth';
import { base62 } from '../../core/ids.ts';

const PERIOD_SECONDS = 30;
/** One step either way: clocks differ. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_LENGTH = 12;

const TOTP_FORM = /^\d{6}$/;
export const RECOVERY_FORM = /^[0-9A-Za-z]{12}$/;

/** A fresh 160-bit secret, base32. */
export const newTotpSecret = (randomBytes: (size: number) => Uint8Array): string =>
  new Secret({ buffer: Uint8Array.from(randomBytes(20)).buffer }).base32;

const totpOf = (secret: string, username: string): TOTP =>
  new TOTP({ issuer: 'Ashlar', label: username, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS, digits: 6 });

/** `otpauth://totp/…`: what the app scans. */
export const totpUri = (secret: string, username: string): string => totpOf(secret, username).toString();

/** The time step whose code this is; null where it is none of about now. */
export function totpStep(secret: string, code: string, now: number): number | null {
  if (!TOTP_FORM.test(code)) return null;
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** Codes of 71 bits, each good for one login without the app. */
export const newRecoveryCodes = (randomBytes: (size: number) => Uint8Array): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => base62(randomBytes(16), RECOVERY_LENGTH));
