/** What the operations on PSBTs have in common. */
import type { DomainErrorCode } from '../../core/errors.ts';
import { isLargeBody } from '../large-body.ts';
import { PSBT_BODY_LIMIT } from './psbt-fields.ts';

export const PSBT_OPERATION = {
  family: 'e',
  method: 'POST',
  tag: 'PSBT',
  effect: 'compute',
  bodyLimit: PSBT_BODY_LIMIT,
  inWorker: (bytes: number, body: unknown) => isLargeBody(bytes) || hasDescriptors(body),
} as const;

/** What descriptors derive takes long whatever their length. */
const hasDescriptors = (body: unknown): boolean => typeof body === 'object' && body !== null && 'descriptors' in body;

export const ANYONE_WHO_READS = { scope: 'psbts:read', role: 'viewer' } as const;

export const DESCRIPTOR_ERRORS = [
  'invalid_descriptor',
  'wrong_network',
  'unsupported',
] as const satisfies readonly DomainErrorCode[];
