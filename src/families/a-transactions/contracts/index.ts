import type { AnyOperation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import { createContract } from './create-contract.ts';
import { executeContract } from './execute-contract.ts';
import { getContract } from './get-contract.ts';
import { listContract } from './list-contract.ts';

export const contractOperations = ({ contracts }: { contracts: ContractService }): AnyOperation[] => [
  createContract(contracts),
  listContract(contracts),
  getContract(contracts),
  executeContract(contracts),
];
