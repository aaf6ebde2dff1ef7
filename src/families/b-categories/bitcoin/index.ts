import type { Network } from '../../../core/network.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import type { AddressLookups } from '../../../services/addresses/look-up-address.ts';
import type { AddressScans } from '../../../services/addresses/manage-address-scans.ts';
import type { ChainServices } from '../../../services/blockchain/index.ts';
import type { MiningService } from '../../../services/blockchain/mining.ts';
import type { MessageService } from '../../../services/messages/message-service.ts';
import { deleteAddressScan } from './addresses/delete-address-scan.ts';
import { getAddressOperation } from './addresses/get-address.ts';
import { getAddressBalance } from './addresses/get-address-balance.ts';
import { getAddressScan } from './addresses/get-address-scan.ts';
import { listAddressScan } from './addresses/list-address-scan.ts';
import { listAddressTransaction } from './addresses/list-address-transaction.ts';
import { listAddressUtxo } from './addresses/list-address-utxo.ts';
import { startAddressScan } from './addresses/start-address-scan.ts';
import { validateAddressOperation } from './addresses/validate-address.ts';
import { getBlocks } from './blocks/get-blocks.ts';
import { getRawBlock } from './blocks/get-raw-block.ts';
import { listBlockTransaction } from './blocks/list-block-transaction.ts';
import { listBlocks } from './blocks/list-blocks.ts';
import { mineBlocks } from './blocks/mine-blocks.ts';
import { descriptorOperations } from './descriptors/index.ts';
import { getFees } from './fees/get-fees.ts';
import { getHeader } from './headers/get-header.ts';
import { listHeader } from './headers/list-header.ts';
import { verifyHeader } from './headers/verify-header.ts';
import { listBitcoin } from './list-bitcoin.ts';
import { getMempool } from './mempool/get-mempool.ts';
import { getMempoolTransaction } from './mempool/get-mempool-transaction.ts';
import { listMempoolTransaction } from './mempool/list-mempool-transaction.ts';
import { getMerkleProof } from './merkle-proofs/get-merkle-proof.ts';
import { verifyMerkleProof } from './merkle-proofs/verify-merkle-proof.ts';
import { signMessage } from './messages/sign-message.ts';
import { signWithWalletMessage } from './messages/sign-with-wallet-message.ts';
import { verifyMessage } from './messages/verify-message.ts';
import { scriptOperations } from './scripts/index.ts';
import { broadcastChainTransaction } from './transactions/broadcast-chain-transaction.ts';
import { decodeChainTransaction } from './transactions/decode-chain-transaction.ts';
import { getChainOutput } from './transactions/get-chain-output.ts';
import { getChainTransaction } from './transactions/get-chain-transaction.ts';
import { testChainTransaction } from './transactions/test-chain-transaction.ts';
import { uriOperations } from './uris/index.ts';

interface Services {
  network: Network;
  chainData: ChainServices;
  mining: MiningService;
  addressLookups: AddressLookups;
  addressScans: AddressScans;
  messages: MessageService;
}

export function bitcoinOperations(services: Services): AnyOperation[] {
  const { network, mining, messages } = services;
  const { blocks, headers, transactions, submission, mempool } = services.chainData;
  return [
    listBitcoin(),
    listBlocks(blocks),
    mineBlocks(mining),
    getBlocks(blocks),
    listBlockTransaction(blocks, network),
    getRawBlock(blocks),
    getChainTransaction(transactions, network),
    getChainOutput(transactions, network),
    decodeChainTransaction(network),
    testChainTransaction(submission),
    broadcastChainTransaction(submission),
    getMerkleProof(transactions),
    verifyMerkleProof(network),
    getMempool(mempool),
    listMempoolTransaction(mempool),
    getMempoolTransaction(mempool),
    getFees(mempool),
    listHeader(headers),
    getHeader(headers),
    verifyHeader(network),
    validateAddressOperation(services),
    getAddressOperation(services),
    getAddressBalance(services),
    listAddressUtxo(services),
    listAddressTransaction(services),
    startAddressScan(services),
    listAddressScan(services),
    getAddressScan(services),
    deleteAddressScan(services),
    ...scriptOperations(services),
    ...descriptorOperations(services),
    signMessage(messages),
    verifyMessage(messages),
    signWithWalletMessage(messages),
    ...uriOperations(services),
  ];
}
