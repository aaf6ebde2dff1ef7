/** What settles a contract elsewhere, in a service that has the wallet: both sides' signatures, and where our keys are. */
import { hex } from '../../../../core/bytes.ts';
import { serializeAnnouncement } from '../../../../core/dlc/messages/announcement.ts';
import type { Side } from '../../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../../core/errors.ts';
import { accountPublicKeys } from '../../../../core/wallets/account-public-key.ts';
import type { WalletRecord } from '../../../../store/records.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import { requireWallet } from '../../../wallets/wallet-dependencies.ts';
import type { BackupSide, ContractService } from '../../contract-service.ts';
import { loadContract } from '../../load-contract.ts';
import { ownSides, requireSide } from '../../sides/side-keys.ts';
import { requireContract } from '../contract-messages.ts';
import { announcementsOfOffer } from '../offers/offer-record.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';

export function createBackUpContract({
  store,
  network,
}: Pick<RemoteDependencies, 'store' | 'network'>): ContractService['backup'] {
  const { read } = store;

  async function keysOf(record: ContractRecord, side: Side): Promise<BackupSide> {
    const own = requireSide(record, side);
    const wallet = await requireWallet(read, record.accountId, own.walletId);
    const { fundingKey, payout, change, inputs } = own;
    return {
      side,
      fingerprint: wallet.fingerprint ?? '',
      fundingKey: {
        ...fundingKey,
        path: `${accountPath(wallet)}/${fundingKey.change ? 1 : 0}/${fundingKey.index}`,
        publicKey: hex(
          accountPublicKeys(wallet.externalDescriptor, wallet.network)(fundingKey.change, fundingKey.index),
        ),
      },
      payout: { change: payout.change, index: payout.index, address: payout.address },
      change: { change: change.change, index: change.index, address: change.address },
      inputs: inputs.map((input) => ({
        txid: input.txid,
        vout: input.vout,
        change: input.change,
        index: input.index,
      })),
    };
  }

  return async (contractId, context) => {
    const record = await requireContract(read, context.accountId, contractId);
    const sign = await read.contracts.message(context.accountId, contractId, 'sign');
    if (sign === null) throw nothingToSettle(record);
    const { offer, contract } = await loadContract(read, record);
    const [offerBytes, acceptBytes] = await Promise.all(
      (['offer', 'accept'] as const).map((type) => read.contracts.message(context.accountId, contractId, type)),
    );
    const funding = await read.transactions.find(context.accountId, contract.fundingTxid);
    const attestations = await Promise.all(
      record.oracleIds.map((oracleId, position) =>
        read.attestations.ofEvent(context.accountId, oracleId, record.eventIds[position] as string),
      ),
    );
    return {
      version: 1,
      network,
      contractId,
      externalId: record.externalId,
      role: record.role,
      dialect: record.dialect,
      status: record.status,
      messages: { offer: hex(offerBytes!), accept: hex(acceptBytes!), sign: hex(sign) },
      announcements: announcementsOfOffer(offer).map((announcement) => hex(serializeAnnouncement(announcement))),
      attestations: attestations.flat().map(({ attestation }) => attestation),
      keys: await Promise.all(ownSides(record).map((side) => keysOf(record, side))),
      transactions: {
        funding: funding?.raw ? hex(funding.raw) : null,
        refund: hex(contract.refundTransaction.raw),
      },
    };
  };
}

/** m/84h/1h/0h of a descriptor's [fingerprint/84h/1h/0h]xpub…; m where the key is a master key itself. */
const accountPath = ({ externalDescriptor }: WalletRecord): string =>
  `m${/\[[0-9a-fA-F]{8}((?:\/\d+[h']?)*)\]/.exec(externalDescriptor)?.[1] ?? ''}`;

const nothingToSettle = ({ contractId, status }: ContractRecord): DomainError =>
  new DomainError(
    'state_conflict',
    `contract ${contractId} is ${status}: before both sides have signed there is nothing that a backup could settle`,
    { field: 'contract_id' },
  );
