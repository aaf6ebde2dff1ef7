import type { Network } from '../../../core/network.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import type { OracleService } from '../../../services/oracles/oracle-service.ts';
import { dlcContractOperations } from './contracts/index.ts';
import { stressContract } from './fees/stress-contract.ts';
import { listDlc } from './list-dlc.ts';
import { decodeContract } from './messages/decode-contract.ts';
import { offerOperations } from './offers/index.ts';
import { oracleOperations } from './oracles/index.ts';
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
  ...oracleOperations(oracles),
  ...dlcContractOperations(contracts),
  ...offerOperations(contracts),
  checkContract({ network, contracts }),
  decodeContract(),
  previewContract(contracts),
  drawContract(contracts),
  stressContract(contracts),
];
