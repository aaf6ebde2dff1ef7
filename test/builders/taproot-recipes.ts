/** What taproot's operations need to be done once with success: sessions at each step, other signers being @scure/btc-signer's. */
import { randomBytes } from 'node:crypto';
import { IndividualPubkey, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { noteSecret } from '../secrets/collected.ts';
import type { Json } from './app.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

export interface TestSigner {
  /** hex */
  readonly key: string;
  readonly publicKey: string;
  readonly nonce: string;
  /** 32 bytes, hex; uses the nonce up. */
  sign(session: Json): string;
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

/** A participant who signs elsewhere, told by a session's record what to sign. */
export function testSigner(): TestSigner {
  const privateKey = Uint8Array.from(randomBytes(32));
  const publicKey = IndividualPubkey(privateKey);
  const nonce = nonceGen(publicKey, privateKey);
  noteSecret('MuSig2 private key', hex(privateKey));
  noteSecret('MuSig2 secret nonce', hex(nonce.secret.subarray(0, 32)));
  return {
    key: hex(privateKey),
    publicKey: hex(publicKey),
    nonce: hex(nonce.public),
    sign({ participants, message, tweaks, taproot }) {
      const all = [
        ...tweaks.map((one: Json) => [bytes(one.tweak), one.x_only] as const),
        ...(taproot === null ? [] : [[bytes(taproot.tweak), true] as const]),
      ];
      const session = new Session(
        nonceAggregate(participants.map((one: Json) => bytes(one.public_nonce))),
        participants.map((one: Json) => bytes(one.public_key)),
        bytes(message),
        all.map(([value]) => value),
        all.map(([, xOnly]) => xOnly),
      );
      return hex(session.sign(nonce.secret, privateKey));
    },
  };
}

async function aSession(world: OperationWorld) {
  const signers = [testSigner(), testSigner()] as const;
  const session = await world.make('POST', '/api/v1/taproot/musig-sessions', {
    public_keys: signers.map(({ publicKey }) => publicKey),
    message: hex(randomBytes(32)),
  });
  const give = ({ publicKey, nonce }: TestSigner) =>
    world.make('POST', `/api/v1/taproot/musig-sessions/${session.musig_session_id}/nonces`, {
      public_key: publicKey,
      public_nonce: nonce,
    });
  return { signers, session, params: { musig_session_id: session.musig_session_id as string }, give };
}

export const TAPROOT_RECIPES: Readonly<Record<string, Recipe>> = {
  'musig-nonce.add': async (world) => {
    const { signers, params } = await aSession(world);
    return { params, body: { public_key: signers[0].publicKey, public_nonce: signers[0].nonce } };
  },
  'musig-partial-signature.add': async (world) => {
    const { signers, params, give } = await aSession(world);
    await give(signers[0]);
    const ready = await give(signers[1]);
    return { params, body: { public_key: signers[0].publicKey, partial_signature: signers[0].sign(ready) } };
  },
  'musig-session.sign': async (world) => {
    const { signers, params, give } = await aSession(world);
    await give(signers[0]);
    return { params, body: { key: signers[1].key } };
  },
};
