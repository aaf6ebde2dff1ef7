import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { acceptContract } from './accept-contract.ts';
import { backupContract } from './backup-contract.ts';
import { cancelContract } from './cancel-contract.ts';
import { closeContract } from './close-contract.ts';
import { cpfpContract } from './cpfp-contract.ts';
import { getContractPicture } from './get-contract-picture.ts';
import { getDlcContract } from './get-dlc-contract.ts';
import { listContractFee } from './list-contract-fee.ts';
import { listContractMessage } from './list-contract-message.ts';
import { listContractPayout } from './list-contract-payout.ts';
import { listDlcContract } from './list-dlc-contract.ts';
import { refundContract } from './refund-contract.ts';
import { restoreContract } from './restore-contract.ts';
import { signContract } from './sign-contract.ts';
import { verifyContract } from './verify-contract.ts';

export const dlcContractOperations = (contracts: ContractService): AnyOperation[] => [
  listDlcContract(contracts),
  getDlcContract(contracts),
  listContractMessage(contracts),
  listContractPayout(contracts),
  getContractPicture(contracts),
  listContractFee(contracts),
  acceptContract(contracts),
  signContract(contracts),
  cancelContract(contracts),
  refundContract(contracts),
  cpfpContract(contracts),
  closeContract(contracts),
  verifyContract(contracts),
  backupContract(contracts),
  restoreContract(contracts),
];
