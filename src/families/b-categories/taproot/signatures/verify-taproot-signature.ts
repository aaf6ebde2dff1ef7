import { z } from 'zod';
import { type SchnorrProblem, schnorrProblem } from '../../../../core/taproot/bip340.ts';
import { operation } from '../../../../hooks/operation.ts';
import { computes } from '../../declarations.ts';
import { bytesField, messageField, xOnlyKeyField } from '../taproot-fields.ts';

const SAYS: Readonly<Record<SchnorrProblem, string>> = {
  public_key_not_on_curve: 'the public key is not the x coordinate of a point on secp256k1',
  signature_size: 'a signature has 64 bytes',
  r_out_of_range: "the signature's R is not below the field's size",
  s_out_of_range: "the signature's s is not below the group's order",
  signature_mismatch: 'the signature is not one of this key over this message',
};

export const verifyTaprootSignature = () =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-signature.verify',
    path: '/api/v1/taproot/signatures/verify',
    summary: 'Verify a signature (BIP340)',
    secretBody: true,
    body: z.strictObject({
      public_key: xOnlyKeyField('an x-only public key'),
      message: messageField,
      signature: bytesField('a Schnorr signature', 64),
    }),
    success: {
      status: 200,
      schema: z.object({
        valid: z.boolean(),
        code: z
          .enum(Object.keys(SAYS) as [SchnorrProblem, ...SchnorrProblem[]])
          .nullable()
          .meta({ description: 'null where it is valid' }),
        reason: z.string().nullable().meta({ description: 'The same in a sentence' }),
      }),
      description: 'The verdict',
    },
    example: {
      body: {
        public_key: 'dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659',
        message: '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
        signature:
          '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
      },
      response: { valid: true, code: null, reason: null },
    },
    run: async ({ body }) => schnorrProblem(body.message, body.public_key, body.signature),
    present: (problem) => ({ valid: problem === null, code: problem, reason: problem && SAYS[problem] }),
  });
