import type { Dialect } from '../dialect.ts';
import type { ContractParty, OfferMessage } from '../dlc-messages.ts';
import type { DlcContract } from './dlc-contract.ts';

/** Throws `contract_refused` where no contract comes of it: inputs that do not suffice, collaterals that are not the total. */
export function contractOf(_offer: OfferMessage, _acceptParty: ContractParty, _dialect: Dialect): DlcContract {
  throw new Error('not made yet');
}
