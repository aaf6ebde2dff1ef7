/** The text that an approval covers: canonical JSON (RFC 8785). Approvers sign its SHA-256. */
import { hash } from 'node:crypto';
import { formatBtc } from '../amount.ts';
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { parseTransaction } from '../blocks/transaction.ts';
import type { AccountId } from '../ids.ts';
import type { Network } from '../network.ts';
import { scriptAddress } from '../relay-policy/script-address.ts';
import type { ContractText } from './contract-text.ts';
import type { ContractStep, HeldText, PaidProposal } from './signs-text.ts';

/** Who asked for it: `counts_as` is the person, null where the credential counts as itself. */
export interface InitiatorText {
  readonly kind: string;
  readonly id: string;
  readonly counts_as: string | null;
}

/** Amounts in BTC, scripts and transaction in hex. */
export interface TransactionText {
  /** Absent in approvals from before other kinds existed. */
  readonly kind?: 'transaction';
  readonly wallet_id: string;
  readonly unsigned_txid: string;
  /** The whole transaction without signatures. */
  readonly transaction: string;
  /** The coins that it spends, in its order. */
  readonly inputs: readonly {
    readonly txid: string;
    readonly vout: number;
    readonly amount: string;
    readonly script: string;
  }[];
  /** `own`: it comes back to the wallet that pays (of a contract: to one of our sides). Scripts such as OP_RETURN have no address. */
  readonly outputs: readonly {
    readonly address: string | null;
    readonly amount: string;
    readonly script: string;
    readonly own: boolean;
  }[];
  readonly fee: string;
  /** If it is a step of a contract. */
  readonly contract?: ContractStep;
  /** If it pays what a proposal decided. */
  readonly proposal?: PaidProposal;
}

export interface ApprovalText {
  readonly version: 1;
  readonly approval_id: string;
  readonly account_id: AccountId;
  readonly network: Network;
  readonly operation: string;
  readonly initiator: InitiatorText;
  readonly signs: TransactionText | ContractText | HeldText;
}

/** The text whose UTF-8 bytes are hashed. `signs`: as canonical JSON; its name and `version` are the last of the members. */
export const textOfApproval = ({ version, ...head }: Omit<ApprovalText, 'signs'>, signs: string): string =>
  `${canonicalJson(head).slice(0, -1)},"signs":${signs},"version":${version}}`;

/** SHA-256, hex. */
export const digestOfText = (text: string): string => hash('sha256', text, 'hex');

/** What the kept text approves. Throws if it does not have the digest that the approvers signed. */
export function approvedSigns<Kind extends ApprovalText['signs']>(kept: { text: string; digest: string }): Kind {
  if (digestOfText(kept.text) !== kept.digest) throw new Error(`the text of approval ${kept.digest} was changed`);
  return (JSON.parse(kept.text) as ApprovalText).signs as Kind;
}

/** The transaction's part of the text, made from its bytes and the outputs that it spends. */
export function transactionText(
  raw: Uint8Array,
  {
    walletId,
    spent,
    isOwn,
    network,
  }: {
    walletId: string;
    /** In the order of the inputs. */
    spent: readonly { readonly amountSats: bigint; readonly scriptPubKey: string }[];
    isOwn: (scriptPubKey: string) => boolean;
    network: Network;
  },
): TransactionText {
  const { txid, inputs, outputs } = parseTransaction(raw);
  if (spent.length !== inputs.length) throw new Error(`${inputs.length} inputs spend ${spent.length} coins`);
  const sumOf = (parts: readonly { readonly amountSats: bigint }[]) =>
    parts.reduce((sum, { amountSats }) => sum + amountSats, 0n);
  return {
    kind: 'transaction',
    wallet_id: walletId,
    unsigned_txid: txid,
    transaction: Buffer.from(raw).toString('hex'),
    inputs: inputs.map(({ prev }, index) => ({
      ...{ txid: prev.txid, vout: prev.vout },
      ...{ amount: formatBtc(spent[index]!.amountSats), script: spent[index]!.scriptPubKey },
    })),
    outputs: outputs.map(({ amountSats, scriptPubKey }) => ({
      ...{ address: scriptAddress(Buffer.from(scriptPubKey, 'hex'), network), amount: formatBtc(amountSats) },
      ...{ script: scriptPubKey, own: isOwn(scriptPubKey) },
    })),
    fee: formatBtc(sumOf(spent) - sumOf(outputs)),
  };
}
