import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { listOfferedContract } from './list-offered-contract.ts';
import { receiveContract } from './receive-contract.ts';

export const offerOperations = (contracts: ContractService): AnyOperation[] => [
  listOfferedContract(contracts),
  receiveContract(contracts),
];
