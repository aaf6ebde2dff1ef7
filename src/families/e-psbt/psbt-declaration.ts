/** What the operations on PSBTs have in common. */
import type { DomainErrorCode } from '../../core/errors.ts';
import { PSBT_BODY_LIMIT } from './psbt-fields.ts';

export const PSBT_OPERATION = {
  family: 'e',
  method: 'POST',
  tag: 'PSBT',
  effect: 'compute',
  limitClass: 'standard',
  idempotent: false,
  bodyLimit: PSBT_BODY_LIMIT,
  inWorker: (bytes: number, body: unknown) => bytes > LIGHT_BYTES || hasDescriptors(body),
} as const;

/** A request with a few inputs; what may be in so many bytes takes some 10 ms at the most, but for what descriptors derive. */
const LIGHT_BYTES = 2_048;

const hasDescriptors = (body: unknown): boolean => typeof body === 'object' && body !== null && 'descriptors' in body;

export const ANYONE_WHO_READS = { scope: 'psbts:read', role: 'viewer' } as const;

export const DESCRIPTOR_ERRORS = [
  'invalid_descriptor',
  'wrong_network',
  'unsupported',
] as const satisfies readonly DomainErrorCode[];
