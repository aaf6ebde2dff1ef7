import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { passwordField } from '../../users/user-fields.ts';
import { own } from './auth-fields.ts';

export const startAuthTotp = (secondFactors: UserServices['secondFactors']) =>
  operation({
    ...own,
    id: 'auth-totp.start',
    method: 'POST',
    path: '/api/v1/auth/totp',
    summary: 'Start a second factor',
    description:
      'Secret and URI are in this answer and nowhere else: the authenticator app takes either. In force after confirm. Starting ' +
      'again replaces a secret that was not confirmed.',
    effect: 'write',
    access: { scope: 'auth:write', role: 'viewer', own: true },
    changesRules: false,
    secretAnswer: true,
    secretBody: true,
    body: z.strictObject({
      password: passwordField.optional().meta({ description: 'Needed where the person has one' }),
    }),
    success: {
      status: 201,
      schema: z.object({
        secret: z.string().meta({ description: 'Base32' }),
        otpauth_uri: z.string().meta({ description: 'As a QR code for the app' }),
      }),
      description: 'The secret, this once',
    },
    errors: ['state_conflict', 'rate_limited', 'unavailable'],
    example: {
      body: { password: 'correct horse battery staple' },
      response: {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        otpauth_uri:
          'otpauth://totp/Ashlar:ada?issuer=Ashlar&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      },
    },
    run: ({ body }, context) => secondFactors.start(body.password, context),
    present: ({ secret, uri }) => ({ secret, otpauth_uri: uri }),
  });
