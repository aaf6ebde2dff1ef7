/** The private keys of a side: its funding key, and those of its coins. Bytes live as long as the work that they are opened for. */

import type { Side } from '../../../core/dlc/transactions/funding-coins.ts';
import type { KeyRing, SpendableCoin } from '../../../core/transactions/signing-input.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { ContractRecord, ContractSide } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import type { OfService, Passed } from '../../policies/gate.ts';
import { requireWallet } from '../../wallets/wallet-dependencies.ts';
import type { OpenKeyRing } from '../../wallets/wallet-keys.ts';
import { fundingForm } from './funding-wallet.ts';

interface OpenedSide {
  readonly side: Side;
  readonly wallet: WalletRecord;
  readonly ring: KeyRing;
  /** 32 bytes, zeroed when the work ends: whoever keeps them longer copies them. */
  readonly fundingPrivateKey: Uint8Array;
  /** The wallet's coins among the side's funding inputs. */
  readonly coins: readonly SpendableCoin[];
}

export type WithSideKeys = <T>(
  contract: Pick<ContractRecord, 'accountId' | 'offerSide' | 'acceptSide'>,
  side: Side,
  passed: Passed | OfService,
  work: (opened: OpenedSide) => T | Promise<T>,
) => Promise<T>;

/** Throws `signing_unavailable` where the side's keys are not here. */
export function createWithSideKeys(deps: {
  read: Pick<Repositories, 'wallets'>;
  openKeyRing: OpenKeyRing;
}): WithSideKeys {
  return async (contract, side, passed, work) => {
    const own = requireSide(contract, side);
    const wallet = await requireWallet(deps.read, contract.accountId, own.walletId);
    const { scriptType } = fundingForm(wallet);
    const ring = await deps.openKeyRing(wallet, passed);
    try {
      const fundingPrivateKey = ring.privateKey(own.fundingKey.change, own.fundingKey.index);
      try {
        const coins = own.inputs.map(({ txid, vout, amountSats, scriptPubKey, change, index }) => ({
          ...{ txid, vout, scriptPubKey, scriptType, change, index },
          amountSats: BigInt(amountSats),
        }));
        return await work({ side, wallet, ring, fundingPrivateKey, coins });
      } finally {
        fundingPrivateKey.fill(0);
      }
    } finally {
      ring.dispose();
    }
  };
}

export function requireSide(contract: Pick<ContractRecord, 'offerSide' | 'acceptSide'>, side: Side): ContractSide {
  const own = side === 'offer' ? contract.offerSide : contract.acceptSide;
  if (own === null) throw new Error(`the ${side} side of the contract is not here`);
  return own;
}

/** The sides whose keys are here. */
export const ownSides = ({ role }: Pick<ContractRecord, 'role'>): readonly Side[] =>
  role === 'both' ? ['offer', 'accept'] : role === 'offerer' ? ['offer'] : ['accept'];
