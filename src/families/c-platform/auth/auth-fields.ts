import { z } from 'zod';
import { PUBLIC_BODY_LIMIT } from '../../../hooks/operation.ts';

export const totpField = z
  .string()
  .regex(/^(\d{6}|[0-9A-Za-z]{12})$/, 'must be the 6 digits of the app, or a recovery code')
  .meta({ description: 'Code of the second factor, or a recovery code', examples: ['123456'] });

/** Any text: one that was never issued is refused as one that is not valid any more. */
export const refreshTokenField = z.string().min(1, 'must not be empty').max(200, 'is longer than any refresh token');

/** RFC 6749 §5.1. */
export const NO_STORE = { 'cache-control': 'no-store' } as const;

/** What is open to everyone who asks for tokens, or gives them back. */
export const exchange = {
  family: 'c',
  method: 'POST',
  tag: 'Authentication',
  effect: 'write',
  access: 'public',
  secretBody: true,
  bodyLimit: PUBLIC_BODY_LIMIT,
} as const;

/** What people do with their own login, and nobody else. */
export const own = {
  family: 'c',
  tag: 'Authentication',
  credentials: ['user_token'],
} as const;
