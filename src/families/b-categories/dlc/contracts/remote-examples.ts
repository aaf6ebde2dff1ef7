/** A contract with somebody elsewhere, at each step. Messages are shortened: whole ones have kilobytes. */
import { contractExample } from '../../../shared/contracts/contract-examples.ts';

export const CONTRACT_ID = contractExample.contract_id;
export const OFFER_HEX = 'a71a00000001';
export const ACCEPT_HEX = 'a71c00000001';
export const SIGN_HEX = 'a71e00000001';

const remote = {
  ...contractExample,
  custody: 'shared',
  offer_collateral: '0.00500000',
  counterparty_wallet_id: null,
  funding_txid: null,
  funding_vout: null,
  refund_locktime: 1_798_000_000,
  dlc_contract_id: null,
} as const;

export const receivedExample = {
  ...remote,
  status: 'offered',
  role: 'accepter',
  wallet_id: null,
  messages: { offer: OFFER_HEX },
} as const;

export const acceptedExample = {
  ...receivedExample,
  status: 'accepted',
  wallet_id: contractExample.wallet_id,
  dlc_contract_id: contractExample.dlc_contract_id,
  messages: { offer: OFFER_HEX, accept: ACCEPT_HEX },
} as const;

export const fundedExample = {
  ...acceptedExample,
  status: 'funded',
  funding_txid: contractExample.funding_txid,
  funding_vout: 0,
  messages: { offer: OFFER_HEX, accept: ACCEPT_HEX, sign: SIGN_HEX },
} as const;

export const cancelledExample = { ...contractExample, status: 'cancelled', reason: 'cancelled on request' } as const;

export const refundedExample = {
  ...contractExample,
  status: 'refunded',
  refund_txid: 'd5b2a3c46e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f70819',
  closing_txid: 'd5b2a3c46e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f70819',
} as const;

export const closingExample = { ...fundedExample, status: 'confirmed' } as const;
