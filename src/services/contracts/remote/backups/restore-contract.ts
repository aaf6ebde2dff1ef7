/** Takes a contract in from its backup: verified as if a stranger had sent it, its keys found among the account's wallets. */

import { hex } from '../../../../core/bytes.ts';
import { adaptorSignatureCheck, requireChecks } from '../../../../core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../../core/dlc/contract/contract-of.ts';
import type { ContractParty } from '../../../../core/dlc/dlc-messages.ts';
import { parseAccept } from '../../../../core/dlc/messages/accept.ts';
import { parseOffer } from '../../../../core/dlc/messages/offer.ts';
import { offerIdOf } from '../../../../core/dlc/messages/offer-id.ts';
import { parseSign } from '../../../../core/dlc/messages/sign.ts';
import { type FundingCoin, fundingCoins, type Side } from '../../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../../core/errors.ts';
import type { AccountId, ContractId } from '../../../../core/ids.ts';
import { newId, type WalletId } from '../../../../core/ids.ts';
import { outpointKey } from '../../../../core/outpoint.ts';
import { accountPublicKeys } from '../../../../core/wallets/account-public-key.ts';
import type { LabelLine } from '../../../../core/wallets/label-lines.ts';
import type { ScriptRecord, WalletRecord } from '../../../../store/records.ts';
import type { ContractRecord, ContractSide } from '../../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../../store/store.ts';
import { refuseTreasury } from '../../../policies/treasuries.ts';
import { recordRequest } from '../../../requests/record-request.ts';
import type { RequestContext } from '../../../requests/request-context.ts';
import { queueScan } from '../../../wallets/queue-scan.ts';
import { restoredScripts } from '../../../wallets/restored-scripts.ts';
import { requireWallet } from '../../../wallets/wallet-dependencies.ts';
import { applyLabels } from '../../../wallets/wallet-labels.ts';
import { appendCreatedEvent } from '../../contract-moves.ts';
import type { BackupPlace, BackupSide, ContractBackup, ContractService } from '../../contract-service.ts';
import { NEW_CONTRACT_FIELDS } from '../../new-contract-fields.ts';
import { keptProof, proofsOfOffer } from '../../terms/oracle-proofs.ts';
import { agreed } from '../check-context.ts';
import { madeOf, viewOf } from '../contract-messages.ts';
import { announcementsOfOffer, termsOfOffer } from '../offers/offer-record.ts';
import type { RemoteDependencies } from '../remote-dependencies.ts';
import { createRestoredStatus, type RestoredStatus } from './restored-status.ts';

/** How far a contract's addresses may lie: all below them are derived. */
const FARTHEST = 10_000;
const PAGE = 100;
/** While many blocks are followed at once, others follow before the contract is kept. */
const ATTEMPTS = 10;

interface FoundSide {
  readonly side: Side;
  readonly wallet: WalletRecord;
  readonly record: ContractSide;
  /** Not derived yet. */
  readonly missing: readonly ScriptRecord[];
}

type Place = Pick<BackupPlace, 'change' | 'index'>;

const placesOf = ({ fundingKey, payout, change }: ContractSide): (Place & { what: string })[] => [
  { ...fundingKey, what: 'funding key' },
  { ...payout, what: 'payout' },
  { ...change, what: 'change' },
];

export function createRestoreContract(deps: RemoteDependencies): ContractService['restore'] {
  const { store, network, scripts: scriptPool, oracles, clock, randomBytes, log } = deps;
  const { read } = store;
  const restoredStatus = createRestoredStatus(deps);

  /** Throws `contract_refused` naming the check. */
  async function verified({ messages, dialect, role }: ContractBackup, { accountId, signal }: RequestContext) {
    const bytes = {
      offer: Buffer.from(messages.offer, 'hex'),
      accept: Buffer.from(messages.accept, 'hex'),
      sign: Buffer.from(messages.sign, 'hex'),
    };
    const offer = named('offer', () => parseOffer(bytes.offer, dialect));
    const accept = named('accept', () => parseAccept(bytes.accept, dialect));
    const sign = named('sign', () => parseSign(bytes.sign, dialect));
    const given = { ...bytes, dialect, context: agreed(network, dialect) };
    requireChecks(await deps.computing.run('messages.check', given, { accountId, signal }), messageField);
    const theirs = { both: ['accept', 'sign'], offerer: ['accept'], accepter: ['sign'] } as const;
    for (const whose of theirs[role]) {
      const [said, party] = whose === 'accept' ? [accept, accept.party] : [sign, offer.party];
      const verdict = await deps.cets.verifyAllCets({
        ...{ accountId, signal, offer: bytes.offer, accept: bytes.accept, dialect },
        publicKey: party.fundingPublicKey,
        signatures: said.cetAdaptorSignatures,
      });
      requireChecks([adaptorSignatureCheck(whose, verdict.valid ? null : verdict.index)], messageField);
    }
    return { offer, bytes, dlc: contractOf(offer, accept.party, dialect) };
  }

  /** By fingerprint, and by the very key. */
  async function walletOf(
    accountId: AccountId,
    key: BackupSide,
    walletId: WalletId | undefined,
  ): Promise<WalletRecord> {
    if (walletId !== undefined) {
      const wallet = await requireWallet(read, accountId, walletId);
      if (holds(wallet, key)) return wallet;
      throw new DomainError('signing_unavailable', `wallet ${walletId} does not have the contract's funding key`, {
        field: 'wallet_id',
      });
    }
    for (let offset = 0; ; offset += PAGE) {
      const page = await read.wallets.list(accountId, {}, { limit: PAGE, offset });
      const found = page.data.find((wallet) => wallet.fingerprint === key.fingerprint && holds(wallet, key));
      if (found) return found;
      if (!page.hasMore) break;
    }
    throw new DomainError(
      'signing_unavailable',
      `no wallet of the account has the key ${key.fundingKey.path} of fingerprint ${key.fingerprint}: restore the wallet first`,
      { field: 'backup.keys' },
    );
  }

  function sideOf(key: BackupSide, wallet: WalletRecord, party: ContractParty): ContractSide {
    if (key.fundingKey.publicKey.toLowerCase() !== hex(party.fundingPublicKey)) {
      throw refused('keys', `the ${key.side}er's funding key is not the one in the messages`);
    }
    const model = scriptPool.model(wallet);
    const place = (what: 'payout' | 'change', script: Uint8Array) => {
      const { change, index } = key[what];
      const derived = model.scriptAt(change, index);
      if (derived.scriptPubKey === hex(script)) return { change, index, address: derived.address };
      throw refused('keys', `the ${key.side}er's ${what} address is not at ${change ? 1 : 0}/${index} of the wallet`);
    };
    const places = new Map(key.inputs.map((input) => [`${input.txid}:${input.vout}`, input]));
    return {
      walletId: wallet.walletId,
      fundingKey: { change: key.fundingKey.change, index: key.fundingKey.index },
      payout: place('payout', party.payoutScript),
      change: place('change', party.changeScript),
      inputs: fundingCoins(key.side, party).map((coin) => inputOf(coin, places.get(outpointKey(coin)))),
    };
  }

  /** Of each branch, what the wallet lacks up to the furthest place of the contract: some hundreds, the rest is left to its scan. */
  async function lacking(wallet: WalletRecord, places: readonly Place[], signal: AbortSignal | undefined) {
    const scripts: ScriptRecord[] = [];
    for (const change of [false, true]) {
      const given = 1 + Math.max(-1, ...places.filter((place) => place.change === change).map(({ index }) => index));
      const from = (await read.scripts.highestIndex(wallet.accountId, wallet.walletId, change)) + 1;
      const claiming = { ...wallet, nextExternalIndex: given, nextInternalIndex: given };
      scripts.push(...(await restoredScripts({ pool: scriptPool, clock }, claiming, { change, from }, signal)));
    }
    return scripts;
  }

  /**
   * Every place that the contract uses counts as given out, with all below it, so that nobody gets it again and what it is paid is seen.
   */
  async function reserve(
    tx: Repositories,
    contractId: ContractId,
    { wallet, record, missing }: FoundSide,
  ): Promise<void> {
    const { accountId } = wallet;
    const used = placesOf(record);
    for (const { change, index } of used) await scriptPool.countGiven(tx, wallet, change, index);
    await scriptPool.withinLimit(tx, accountId, async () => {
      await tx.scripts.insertMissing(missing);
      for (const change of [false, true]) await scriptPool.topUp(tx, wallet, change);
    });
    const lines = used.map(({ change, index, what }): LabelLine => {
      const { address } = scriptPool.model(wallet).scriptAt(change, index);
      return { type: 'addr', ref: address, label: `contract ${contractId}: ${what}`, extra: {} };
    });
    await applyLabels(tx, wallet, lines, clock());
    if (!(await scriptPool.isWhole(tx, wallet))) await queueScan(tx, wallet);
  }

  return async ({ backup, walletId }, context) => {
    const { accountId } = context;
    if (backup.network !== network) {
      throw new DomainError('wrong_network', `the backup is of ${backup.network}, and this service is on ${network}`, {
        field: 'backup.network',
      });
    }
    requireSides(backup);
    const { offer, bytes, dlc } = await verified(backup, context);
    const sides: FoundSide[] = [];
    for (const key of backup.keys) {
      const wallet = await walletOf(accountId, key, walletId);
      const party = key.side === 'offer' ? offer.party : dlc.acceptParty;
      const record = sideOf(key, wallet, party);
      sides.push({ side: key.side, wallet, record, missing: await lacking(wallet, placesOf(record), context.signal) });
    }
    const terms = termsOfOffer(offer);
    const oracleProofs = await proofsOfOffer(offer, { read, accountId });

    /** null where the chain has moved on since it was asked. */
    const keep = (standingIn: RestoredStatus) =>
      store.write(async (tx) => {
        const standing = await standingIn(tx, terms);
        if (standing === null) return null;
        const wallets = sides.map(({ wallet }) => wallet.walletId);
        await refuseTreasury(tx, accountId, wallets, 'it can be in no contract');
        const contractId = newId('ctr', randomBytes);
        const kept = [];
        for (const [position, announcement] of announcementsOfOffer(offer).entries()) {
          const proof = keptProof(oracleProofs.proofs, position);
          kept.push(await oracles.keepAnnouncement(tx, accountId, announcement, proof));
        }
        for (const side of sides) await reserve(tx, contractId, side);
        const made: ContractRecord = {
          contractId,
          accountId,
          externalId: backup.externalId,
          ...NEW_CONTRACT_FIELDS,
          ...standing,
          role: backup.role,
          dialect: backup.dialect,
          oracleIds: kept.map(({ oracle }) => oracle.oracleId),
          eventIds: kept.map(({ event }) => event.eventId),
          offerId: offerIdOf(bytes.offer, backup.dialect),
          oracleProof: oracleProofs.judged.proof,
          ...terms,
          offerSide: sides.find(({ side }) => side === 'offer')?.record ?? null,
          acceptSide: sides.find(({ side }) => side === 'accept')?.record ?? null,
          dlcContractId: hex(dlc.contractId),
          fundingTxid: dlc.fundingTxid,
          fundingVout: dlc.fundingVout,
          expiresAt: null,
          createdAt: clock(),
          updatedAt: clock(),
        };
        await insertRestored(tx, made, bytes.offer);
        for (const type of ['offer', 'accept', 'sign'] as const) {
          await tx.contracts.putMessage(accountId, contractId, type, bytes[type]);
        }
        await appendCreatedEvent(tx, made);
        await recordRequest(tx, context, { result: await viewOf(tx, made), target: contractId });
        return made;
      });
    let record: ContractRecord | null = null;
    for (let attempt = 0; record === null && attempt < ATTEMPTS; attempt++) {
      record = await keep(await restoredStatus(accountId, dlc));
    }
    if (record === null) throw overtaken();
    for (const attestation of backup.attestations) await storeAttestation(accountId, attestation);
    return viewOf(read, record);
  };

  /** One that is of no use does not undo the restore. */
  async function storeAttestation(accountId: AccountId, attestation: string): Promise<void> {
    try {
      await oracles.storeAttestation(accountId, Buffer.from(attestation, 'hex'), 'posted');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.info({ reason: error.message }, 'an attestation of a restored contract was not taken');
    }
  }
}

const overtaken = (): DomainError =>
  new DomainError(
    'unavailable',
    'blocks are followed faster than the contract is looked up: try again when it has caught up',
    {
      retryAfterSeconds: 10,
    },
  );

/** Throws `already_exists` in the words of backups: the contract is here, or its external_id is given to another. */
async function insertRestored(tx: Repositories, made: ContractRecord, offer: Uint8Array): Promise<void> {
  const here = await madeOf(tx, { ...made, offer });
  if (here !== null) {
    throw new DomainError(
      'already_exists',
      `this contract is here already: ${here.contractId}, which is ${here.status}; there is nothing to restore`,
      { field: messageField('offer') },
    );
  }
  try {
    await tx.contracts.insert(made);
  } catch (error) {
    const field = error instanceof DomainError ? error.details.field : undefined;
    if (field === undefined) throw error;
    throw (error as DomainError).at(field === 'message' ? messageField('offer') : `backup.${field}`);
  }
}

/** Throws `invalid_backup` where the keys are not those of the role, or too far off to be derived. */
function requireSides({ role, keys }: ContractBackup): void {
  const wanted = { both: ['offer', 'accept'], offerer: ['offer'], accepter: ['accept'] }[role];
  const given = keys.map(({ side }) => side);
  if (given.length !== wanted.length || !wanted.every((side) => given.includes(side as Side))) {
    throw refused('keys', `the role ${role} has the keys of: ${wanted.join(', ')}`);
  }
  const places = keys.flatMap(({ fundingKey, payout, change, inputs }) => [fundingKey, payout, change, ...inputs]);
  if (places.some(({ index }) => index > FARTHEST)) throw refused('keys', `an index is above ${FARTHEST}`);
}

/** Throws `invalid_backup` for an input that the backup has no place of. */
function inputOf(coin: FundingCoin, place: BackupPlace | undefined): ContractSide['inputs'][number] {
  if (place === undefined) throw refused('keys', `input ${outpointKey(coin)} of the messages is missing`);
  const { txid, vout, amountSats, scriptPubKey, serialId } = coin;
  const { change, index } = place;
  return { txid, vout, amountSats: amountSats.toString(), scriptPubKey, change, index, serialId: serialId.toString() };
}

function holds(wallet: WalletRecord, { fundingKey }: BackupSide): boolean {
  try {
    const key = accountPublicKeys(wallet.externalDescriptor, wallet.network)(fundingKey.change, fundingKey.index);
    return hex(key) === fundingKey.publicKey.toLowerCase();
  } catch (error) {
    // A wallet without an extended key has none of its keys.
    if (error instanceof DomainError) return false;
    throw error;
  }
}

const refused = (field: string, why: string): DomainError =>
  new DomainError('invalid_backup', `the backup does not fit together: ${why}`, { field: `backup.${field}` });

function named<T>(type: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof DomainError ? error.at(messageField(type)) : error;
  }
}

const messageField = (type: string | null): string => `backup.messages.${type ?? 'offer'}`;
