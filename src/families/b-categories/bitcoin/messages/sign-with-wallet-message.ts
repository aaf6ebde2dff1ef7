import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { MessageService } from '../../../../services/messages/message-service.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { idField } from '../../../fields.ts';
import { addressField, EXAMPLE, EXAMPLE_SIGNATURE, messageField, signingFormat } from './message-fields.ts';

const signed = unnamedAnswer({
  signature: z.string().nullable(),
  format: signingFormat,
  psbt: z.string().nullable().meta({ description: 'Base64, version 2; null where the signature is complete' }),
});

export const signWithWalletMessage = (messages: Pick<MessageService, 'signWithWallet'>) =>
  operation({
    id: 'message.sign-with-wallet',
    spends: ['message'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/wallets/{wallet_id}/messages',
    summary: "Sign a message with a wallet's own keys",
    description:
      'By BIP322, for an address of the wallet, change addresses included; `legacy`, as signmessage of Bitcoin Core, for those of a legacy ' +
      "wallet (P2PKH) where that is asked for. Where the service's keys do not suffice (multisig), " +
      '`signature` is null and `psbt` has what there is: the others sign it (BIP322 has a field in it for the message), and once ' +
      "finalized and extracted its transaction, in base64 behind 'ful', is the signature.",
    tag: 'Bitcoin messages',
    effect: 'write',
    access: { scope: 'messages:write', role: 'operator' },
    takesNul: true,
    params: z.strictObject({ wallet_id: idField('wal') }),
    body: z.strictObject({ address: addressField, message: messageField, format: signingFormat.optional() }),
    ...orHeld(signed, 'The signature, or the PSBT that others complete'),
    errors: [
      'not_found',
      'invalid_address',
      'wrong_network',
      'unsupported',
      'signing_unavailable',
      'nothing_signed',
      'unsafe_to_sign',
      'psbt_incomplete',
      'too_large',
      'policy_refused',
      'invalid_descriptor',
    ],
    example: {
      params: { wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A' },
      body: { address: EXAMPLE.address, message: EXAMPLE.message },
      response: { signature: EXAMPLE_SIGNATURE, format: 'simple', psbt: null },
    },
    run: ({ params, body }, context) =>
      messages.signWithWallet(params.wallet_id, { ...body, format: body.format ?? null }, context),
  });
