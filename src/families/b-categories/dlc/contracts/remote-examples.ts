/** A contract with somebody elsewhere, at each step. */
import { contractExample } from '../../../contracts/contract-examples.ts';
import { ACCEPT_HEX, OFFER_HEX, SIGN_HEX } from './message-examples.ts';

export const CONTRACT_ID = contractExample.contract_id;

const remote = {
  ...contractExample,
  custody: 'shared',
  offer_collateral: '0.00500000',
  counterparty_wallet_id: null,
  funding_txid: null,
  funding_vout: null,
  event_ids: ['match'],
  outcomes: ['win', 'lose'],
  payouts: { win: '0.01000000', lose: '0.00000000' },
  fee_rate: '1',
  refund_locktime: 4_103_308_800,
  temporary_contract_id: '580715fc03645cc1228cab82e67ab7134829669d083668372420fcdab3957c93',
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
  dlc_contract_id: '39b74d6ce0ddcb9d93fffa8c6a97b24a2ab89067f6663b1721027af0922067b8',
  messages: { offer: OFFER_HEX, accept: ACCEPT_HEX },
} as const;

export const fundedExample = {
  ...acceptedExample,
  status: 'funded',
  funding_txid: '61b05890e3b9975cb173510e8ced05596291f6fafe5053200522862a21b51b2b',
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
