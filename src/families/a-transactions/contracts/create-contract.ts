import { operation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import { contract } from '../../contracts/contract-answer.ts';
import {
  contractBodyExample,
  contractExample,
  contractWaiting,
  FUNDING_ERRORS,
} from '../../contracts/contract-examples.ts';
import { contractBody, contractRequestOf } from '../../contracts/contract-fields.ts';

/** The most outcomes or points that a contract may have take less. */
const CONTRACT_BODY_LIMIT = 512 * 1024;

export const createContract = (contracts: Pick<ContractService, 'create'>) =>
  operation({
    id: 'contract.create',
    spends: ['contract_offer', 'contract_accept'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/contracts',
    summary: 'Make a Discreet Log Contract',
    description:
      'Locks the collateral in an output that the outcome of an event divides: the oracle that attests the outcome knows nothing of the ' +
      'contract. Both sides are kept here unless a counterparty is named; then the answer is funded, or says by progress how far signing ' +
      'has come. With a remote counterparty it answers the offer message for them (messages.offer) and holds our coins. A contract on a ' +
      'number has a descriptor in the place of outcomes.',
    tag: 'Contracts',
    effect: 'write',
    access: { scope: 'contracts:write', role: 'operator' },
    body: contractBody,
    bodyLimit: CONTRACT_BODY_LIMIT,
    success: {
      ...{ status: 201, answer: contract, description: 'The contract' },
      waiting: contractWaiting({ ...contractExample, funding_txid: null, funding_vout: null, dlc_contract_id: null }),
    },
    errors: [
      'not_found',
      'invalid_value',
      'invalid_amount',
      'unsupported',
      'announcement_missing',
      'contract_refused',
      'already_exists',
      'oracle_frozen',
      'state_conflict',
      'too_many_ancestors',
      ...FUNDING_ERRORS,
    ],
    example: { body: contractBodyExample, response: contractExample },
    run: ({ body }, context) => contracts.create(contractRequestOf(body), context),
  });
