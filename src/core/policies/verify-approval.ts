/** Checks an exported approval without the service: what was signed, by which keys, and whether that was enough. */
import { z } from 'zod';
import { ROLES } from '../access.ts';
import { formatBtc } from '../amount.ts';
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { evidenceKey, evidenceProblem } from '../audit-log/request-evidence.ts';
import { NETWORKS, type Network } from '../network.ts';
import { decodeAddress } from '../relay-policy/address.ts';
import { contentDigest } from '../request-signatures/content-digest.ts';
import { type PublicJwk, parsePublicJwk, thumbprintOf } from '../request-signatures/signing-algorithm.ts';
import { type ApprovalText, digestOfText, type TransactionText, transactionText } from './approval-text.ts';
import { type ContractText, fundingOf, saidBy } from './contract-text.ts';
import { voiceOf } from './policy.ts';
import { requirementStates, type Voter } from './requirements.ts';
import { contractStep, type HeldText, MADE_AGAIN, paidProposal, SIGNS } from './signs-text.ts';

export const APPROVAL_EXPORT = 'ashlar-approval';

const role = z.enum(ROLES);
const approvers = z.object({
  roles: z.array(role).optional(),
  user_ids: z.array(z.string()).optional(),
  groups: z.array(z.string()).optional(),
});

/** The file's format. Other members are ignored. */
export const approvalExport = z.object({
  type: z.literal(APPROVAL_EXPORT),
  version: z.literal(1),
  approval_id: z.string(),
  status: z.string(),
  text: z.string(),
  digest: z.string(),
  requirements: z.array(z.object({ policy_id: z.string(), required: z.int(), from: approvers })),
  votes: z.array(
    z.object({
      decision: z.enum(['approve', 'reject']),
      credential: z.object({ kind: z.string(), id: z.string(), counts_as: z.string().nullable(), role }),
      groups: z.array(z.string()),
      counted: z.boolean(),
      at: z.string(),
      key_id: z.string(),
      public_key: z.record(z.string(), z.unknown()),
      nonce: z.string(),
      path: z.string(),
      signature_base: z.string(),
      signature: z.string(),
      body: z.string(),
    }),
  ),
});
export type ApprovalExport = z.infer<typeof approvalExport>;
type ExportedVote = ApprovalExport['votes'][number];

/** A check failed; `vote`: in which vote, counted from 0. */
export class ApprovalRefused extends Error {
  readonly vote: number | null;
  constructor(message: string, vote: number | null = null) {
    super(message);
    this.name = 'ApprovalRefused';
    this.vote = vote;
  }
}

export interface VerifiedApproval {
  readonly text: ApprovalText;
  readonly digest: string;
  readonly status: string;
  /** Whether the valid votes meet every requirement. */
  readonly met: boolean;
  readonly votes: readonly { decision: string; voice: string; keyId: string; counted: boolean; at: string }[];
}

/** Throws ApprovalRefused. */
export function verifyApproval(file: unknown): VerifiedApproval {
  const parsed = approvalExport.safeParse(file);
  if (!parsed.success) throw new ApprovalRefused(`it is not an exported approval: ${z.prettifyError(parsed.error)}`);
  const exported = parsed.data;
  const { digest, status, requirements, votes } = exported;
  const text = checkedText(exported);
  for (const [index, vote] of votes.entries()) checkVote(vote, exported, index);
  checkDistinct(votes);
  const initiators = initiatorsOf(text);
  const approving = votes.filter(({ decision, counted }) => decision === 'approve' && counted).map(voterOf);
  const own = initiators.map(voiceOf);
  if (approving.some((voter) => own.includes(voiceOf(voter))))
    throw new ApprovalRefused('a vote of an initiator counts');
  const asked = requirements.map(({ policy_id: policyId, required, from }) => {
    const { roles, user_ids: userIds, groups } = from;
    const named = { ...(roles && { roles }), ...(userIds && { userIds }), ...(groups && { groups }) };
    return { policyId, required, from: named };
  });
  const cast = approving.map((voter) => ({ before: voter, now: voter }));
  const states = requirementStates(asked, cast, initiators);
  const met = requirements.length > 0 && states.every((state) => state.met);
  if (status === 'approved' && !met)
    throw new ApprovalRefused('it is approved, but its votes do not meet its requirements');
  const told = votes.map((vote) => ({
    ...{ decision: vote.decision, voice: voiceOf(voterOf(vote)), keyId: vote.key_id },
    ...{ counted: vote.counted, at: vote.at },
  }));
  return { text, digest, status, met, votes: told };
}

/** Whoever asked for it; of what a proposal pays, also whoever proposed it. */
function initiatorsOf({ initiator, signs }: ApprovalText): Pick<Voter, 'userId' | 'credentialId'>[] {
  const proposer = 'proposal' in signs && signs.kind === 'transaction' ? signs.proposal?.proposer : undefined;
  const asking = proposer === undefined ? [initiator] : [initiator, proposer];
  return asking.map(({ counts_as: userId, id: credentialId }) => ({ userId, credentialId }));
}

const voterOf = ({ credential, groups }: ExportedVote): Voter => ({
  ...{ userId: credential.kind === 'person' ? credential.id : credential.counts_as, credentialId: credential.id },
  ...{ role: credential.role, groups },
});

function checkedText({ text: written, digest, approval_id: id }: ApprovalExport): ApprovalText {
  if (digestOfText(written) !== digest) throw new ApprovalRefused('the digest is not that of the text');
  const text = parsedJson(written) as ApprovalText;
  if (canonicalJson(text) !== written) throw new ApprovalRefused('the text is not in its canonical form (RFC 8785)');
  if (text.approval_id !== id) throw new ApprovalRefused('the text is of another approval');
  if (!NETWORKS.includes(text.network)) throw new ApprovalRefused('the text names no network');
  checkSigns(text);
  return text;
}

function checkSigns({ signs, network }: ApprovalText): void {
  if (signs === null || typeof signs !== 'object') throw new ApprovalRefused('the text does not say what is approved');
  const { kind } = signs;
  if (kind === undefined || kind === 'transaction') {
    checkTransaction(signs as TransactionText, network);
    return;
  }
  if (kind === 'contract') {
    checkContract(signs);
    return;
  }
  if (!Object.hasOwn(SIGNS, kind))
    throw new ApprovalRefused(`this version cannot check an approval of the kind ${kind}`);
  const { success, data, error } = SIGNS[kind].safeParse(signs);
  if (!success) throw new ApprovalRefused(`the text holds no ${kind}: ${z.prettifyError(error)}`);
  if ('address' in data) addressOn(network, data.address);
  if (data.kind === 'signature') checkSignature(data, network);
  checkHeld(data);
}

/** The words in the text must match its bytes. */
function checkHeld(signs: HeldText): void {
  const makeAgain = MADE_AGAIN[signs.kind] as ((signs: HeldText) => HeldText) | undefined;
  if (makeAgain === undefined) return;
  let made: HeldText;
  try {
    made = makeAgain(signs);
  } catch {
    throw new ApprovalRefused(`the text holds no ${signs.kind}`);
  }
  const names = Object.keys(signs) as (keyof HeldText)[];
  const other = names.find((name) => canonicalJson(made[name]) !== canonicalJson(signs[name]));
  if (other !== undefined) throw new ApprovalRefused(`the text's ${other} is not what its ${signs.kind} says`);
}

function checkSignature({ kind, added, ...signs }: Extract<HeldText, { kind: 'signature' }>, network: Network): void {
  checkTransaction(signs, network);
  if (added.some(({ input }) => signs.inputs[input] === undefined))
    throw new ApprovalRefused(`the text adds a ${kind} to an input that its transaction does not have`);
}

/** The words in the text must match its messages. */
function checkContract(signs: ContractText): void {
  let read: ReturnType<typeof saidBy>;
  let funding: string | undefined;
  try {
    read = saidBy(signs);
    if (signs.funding_transaction !== undefined) funding = fundingOf(signs);
  } catch {
    throw new ApprovalRefused('the text holds no messages of a contract');
  }
  if (funding !== signs.funding_transaction)
    throw new ApprovalRefused("the text's funding_transaction is not that of its messages");
  const other = (['offer', 'accept'] as const).find((name) => canonicalJson(read[name]) !== canonicalJson(signs[name]));
  if (other !== undefined) throw new ApprovalRefused(`the text's ${other} is not what its message says`);
}

function addressOn(network: Network, address: string): void {
  try {
    decodeAddress(address, network);
  } catch {
    throw new ApprovalRefused(`the text's address is not one of ${network}`);
  }
}

/** The words in the text must match the transaction. */
function checkTransaction({ contract, proposal, ...signs }: TransactionText, network: Network): void {
  const { transaction, inputs, outputs, fee } = signs;
  let read: TransactionText;
  try {
    const spent = inputs.map(({ amount, script }) => ({ amountSats: satsOf(amount), scriptPubKey: script }));
    const own = new Set(outputs.filter((output) => output.own).map(({ script }) => script));
    const isOwn = (script: string): boolean => own.has(script);
    read = transactionText(Buffer.from(transaction, 'hex'), { walletId: signs.wallet_id, spent, isOwn, network });
  } catch {
    throw new ApprovalRefused('the transaction in the text does not match its inputs');
  }
  const names = ['unsigned_txid', 'transaction', 'inputs', 'outputs', 'fee', ...Object.keys(signs)];
  const other = (names as (keyof typeof signs)[]).find(
    (name) => canonicalJson(read[name]) !== canonicalJson(signs[name]),
  );
  if (other !== undefined) throw new ApprovalRefused(`the text's ${other} is not what its transaction says`);
  if (satsOf(fee) < 0n) throw new ApprovalRefused('the fee is below zero');
  if (contract !== undefined) checkStep(contract, outputs);
  const named = paidProposal.optional().safeParse(proposal);
  if (!named.success) throw new ApprovalRefused(`the text names no proposal: ${z.prettifyError(named.error)}`);
}

function checkStep(step: unknown, outputs: TransactionText['outputs']): void {
  const { success, data, error } = contractStep.safeParse(step);
  if (!success) throw new ApprovalRefused(`the text names no step of a contract: ${z.prettifyError(error)}`);
  const { sides } = data;
  // Each side of ours has one output, or none below the dust limit.
  const gets = (sides ?? []).map((side) => side.gets).filter((amount) => satsOf(amount) > 0n);
  const paid = outputs.filter(({ own }) => own).map(({ amount }) => amount);
  if (sides !== undefined && canonicalJson(gets.sort()) !== canonicalJson(paid.sort()))
    throw new ApprovalRefused("what the text's contract.sides get is not what its outputs pay");
  for (const attestation of data.attests ?? []) checkHeld(attestation);
}

const satsOf = (amount: string): bigint => {
  const sats = BigInt(amount.replace('.', ''));
  if (formatBtc(sats) !== amount) throw new ApprovalRefused(`${amount} is no amount`);
  return sats;
};

/** One signature is one vote, and one key is one person's: a copy under another name adds nothing. */
function checkDistinct(votes: readonly ExportedVote[]): void {
  const voices = new Map<string, string>();
  const bases = new Set<string>();
  for (const [index, vote] of votes.entries()) {
    const voice = voiceOf(voterOf(vote));
    if (bases.has(vote.signature_base)) throw new ApprovalRefused('its signature is that of another vote', index);
    if ((voices.get(vote.key_id) ?? voice) !== voice)
      throw new ApprovalRefused(`its key signed a vote of ${voices.get(vote.key_id)} too`, index);
    bases.add(vote.signature_base);
    voices.set(vote.key_id, voice);
  }
}

function checkVote(vote: ExportedVote, { digest, approval_id: id }: ApprovalExport, index: number): void {
  const refused = (problem: string) => new ApprovalRefused(problem, index);
  const key = keyOf(vote, refused);
  const [pathname] = vote.path.split('?', 1);
  if (pathname?.replace(/^\/api\/v\d+/, '') !== `/enterprise/approvals/${id}/${vote.decision}`)
    throw refused('it was not sent to this approval');
  const entry = {
    ...{ method: 'POST', path: vote.path, digest: contentDigest(Buffer.from(vote.body)) },
    signature: {
      ...{ base: vote.signature_base, value: vote.signature, key_id: vote.key_id, nonce: vote.nonce },
    },
  };
  const problem = evidenceProblem(entry, key);
  if (problem !== null) throw refused(problem);
  if (!vote.signature_base.includes('\n"content-digest": ') && !vote.signature_base.startsWith('"content-digest": '))
    throw refused('its signature does not cover its body');
  const said = parsedJson(vote.body) as { digest?: unknown } | null;
  if (said?.digest !== digest) throw refused('what was signed names another digest');
}

function keyOf(vote: ExportedVote, refused: (problem: string) => ApprovalRefused) {
  let jwk: PublicJwk;
  try {
    jwk = parsePublicJwk(vote.public_key);
  } catch {
    throw refused('its public key is none');
  }
  if (thumbprintOf(jwk) !== vote.key_id) throw refused('its key does not match its key id');
  return evidenceKey(jwk);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApprovalRefused('what should be JSON is none');
  }
}
