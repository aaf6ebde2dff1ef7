/** Signed messages: by a key that the caller sends, by a wallet's own keys, and what is said of those of others. */

import { DomainError } from '../../core/errors.ts';
import type { WalletId } from '../../core/ids.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { ClaimedOutput, MessageVerdict } from '../../core/messages/message-verdict.ts';
import { formatFor, type SigningFormat, signMessage } from '../../core/messages/sign-message.ts';
import { verifyMessage } from '../../core/messages/verify-message.ts';
import type { Network } from '../../core/network.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { HeldRequests } from '../approvals/held-requests.ts';
import type { FairLookups, Lookups } from '../blockchain/fair-lookups.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { OpenOwnSigner } from '../wallets/wallet-keys.ts';
import { createSignWithWallet } from './sign-with-wallet.ts';

/** Each is a question of its own to the node. */
export const MAX_LOOKED_UP = 200;
const AT_ONCE = 16;

export interface MessageRequest {
  readonly address: string;
  readonly message: string;
}

/** `unspent`: whether the chain has the very output unspent; null where it was not asked or does not answer. */
export interface CheckedClaim extends ClaimedOutput {
  readonly unspent: boolean | null;
}

export interface CheckedMessage {
  readonly verdict: MessageVerdict;
  readonly claims: readonly CheckedClaim[];
}

export function createMessageService(deps: {
  store: Store;
  read: Pick<Repositories, 'wallets' | 'scripts'>;
  chain: FairLookups;
  network: Network;
  held: Pick<HeldRequests, 'operation'>;
  openOwnSigner: OpenOwnSigner;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { chain, network, randomBytes } = deps;
  const tools = { ecc, randomBytes };
  const signWithWallet = deps.held.operation(createSignWithWallet({ ...deps, tools }));

  return {
    network,

    /** Nothing of the key outlives the call. Throws as decodeAddress and signMessage do, naming the field. */
    sign({ address, message, key, format }: MessageRequest & { key: string; format: SigningFormat | null }) {
      return signMessage(
        { script: scriptOf(address, network), message: bytesOf(message), key, format, network },
        tools,
      );
    },

    /**
     * With the keys that the service has of the wallet; Held where rules want it approved first. Throws `not_found`, `signing_unavailable`, and
     * as decodeAddress does.
     */
    async signWithWallet(
      walletId: WalletId,
      { address, message, format }: MessageRequest & { format: SigningFormat | null },
      context: RequestContext,
    ) {
      const chosen = formatFor(scriptOf(address, network), format);
      return signWithWallet({ walletId, address, message, format: chosen }, context);
    },

    /** Throws as decodeAddress does: what is wrong with the signature is its answer. */
    async verify({ address, message, signature }: MessageRequest & { signature: string }, context: RequestContext) {
      const lookups = chain.of(context);
      const verdict = verifyMessage(scriptOf(address, network), bytesOf(message), signature);
      const claims: CheckedClaim[] = [];
      for (let from = 0; from < verdict.claimed.length; from += AT_ONCE)
        claims.push(
          ...(await Promise.all(
            verdict.claimed.slice(from, from + AT_ONCE).map((claim, at) => lookUp(lookups, claim, from + at)),
          )),
        );
      return { verdict, claims };
    },
  };
}

export type MessageService = ReturnType<typeof createMessageService>;

/** A source that is away, or that cannot say, leaves the question open: the signature is judged all the same. */
async function lookUp(chain: Pick<Lookups, 'utxo'>, claim: ClaimedOutput, position: number): Promise<CheckedClaim> {
  if (position >= MAX_LOOKED_UP) return { ...claim, unspent: null };
  try {
    const coin = await chain.utxo(claim.outpoint);
    const { amountSats, scriptPubKey } = claim.output;
    return { ...claim, unspent: coin?.amountSats === amountSats && coin.scriptPubKey === scriptPubKey };
  } catch (error) {
    if (error instanceof DomainError) return { ...claim, unspent: null };
    throw error;
  }
}

function scriptOf(address: string, network: Network): Buffer {
  try {
    return Buffer.from(decodeAddress(address, network).scriptPubKey, 'hex');
  } catch (error) {
    throw error instanceof DomainError ? error.at('address') : error;
  }
}

const bytesOf = (message: string): Buffer => Buffer.from(message, 'utf8');
