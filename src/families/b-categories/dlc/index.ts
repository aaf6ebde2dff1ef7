import type { Network } from '../../../core/network.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import type { OracleService } from '../../../services/oracles/oracle-service.ts';
import { addAnnouncementOracle } from './announcements/add-announcement-oracle.ts';
import { getAnnouncementOracle } from './announcements/get-announcement-oracle.ts';
import { listAnnouncementsOracle } from './announcements/list-announcements-oracle.ts';
import { attestOracle } from './attestations/attest-oracle.ts';
import { getAttestationOracle } from './attestations/get-attestation-oracle.ts';
import { listAttestationsOracle } from './attestations/list-attestations-oracle.ts';
import { verifyAttestationsOracle } from './attestations/verify-attestations-oracle.ts';
import { acceptContract } from './contracts/accept-contract.ts';
import { backupContract } from './contracts/backup-contract.ts';
import { cancelContract } from './contracts/cancel-contract.ts';
import { closeContract } from './contracts/close-contract.ts';
import { cpfpContract } from './contracts/cpfp-contract.ts';
import { getContractPicture } from './contracts/get-contract-picture.ts';
import { getDlcContract } from './contracts/get-dlc-contract.ts';
import { listContractFee } from './contracts/list-contract-fee.ts';
import { listContractMessage } from './contracts/list-contract-message.ts';
import { listContractPayout } from './contracts/list-contract-payout.ts';
import { listDlcContract } from './contracts/list-dlc-contract.ts';
import { refundContract } from './contracts/refund-contract.ts';
import { restoreContract } from './contracts/restore-contract.ts';
import { signContract } from './contracts/sign-contract.ts';
import { verifyContract } from './contracts/verify-contract.ts';
import { announceOracle } from './events/announce-oracle.ts';
import { listEventsOracle } from './events/list-events-oracle.ts';
import { stressContract } from './fees/stress-contract.ts';
import { listDlc } from './list-dlc.ts';
import { decodeContract } from './messages/decode-contract.ts';
import { listOfferedContract } from './offers/list-offered-contract.ts';
import { receiveContract } from './offers/receive-contract.ts';
import { createOracle } from './oracles/create-oracle.ts';
import { deleteOracle } from './oracles/delete-oracle.ts';
import { getOracle } from './oracles/get-oracle.ts';
import { listOracle } from './oracles/list-oracle.ts';
import { updateOracle } from './oracles/update-oracle.ts';
import { drawContract } from './payouts/draw-contract.ts';
import { previewContract } from './payouts/preview-contract.ts';
import { checkContract } from './verification/check-contract.ts';

export const dlcOperations = ({
  network,
  contracts,
  oracles,
}: {
  network: Network;
  contracts: ContractService;
  oracles: OracleService;
}): AnyOperation[] => [
  listDlc(),
  createOracle(oracles),
  listOracle(oracles),
  getOracle(oracles),
  updateOracle(oracles),
  deleteOracle(oracles),
  announceOracle(oracles),
  listEventsOracle(oracles),
  addAnnouncementOracle(oracles),
  listAnnouncementsOracle(oracles),
  getAnnouncementOracle(oracles),
  attestOracle(oracles),
  verifyAttestationsOracle(),
  listAttestationsOracle(oracles),
  getAttestationOracle(oracles),
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
  listOfferedContract(contracts),
  receiveContract(contracts),
  checkContract({ network, contracts }),
  decodeContract(),
  previewContract(contracts),
  drawContract(contracts),
  stressContract(contracts),
];
