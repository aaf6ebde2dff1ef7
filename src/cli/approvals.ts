/** `ashlar approvals verify FILE`: an exported approval against itself, without service and database. */
import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { ApprovalRefused, type VerifiedApproval, verifyApproval } from '../core/policies/verify-approval.ts';
import { parseArguments } from './arguments.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

/** Answers 0 where everything holds and it is approved; otherwise 1, and says why. */
export async function approvals(_config: Config, args: string[], terminal: Terminal): Promise<number> {
  const [action, ...rest] = args;
  const { positionals } = parseArguments({ args: rest, allowPositionals: true, options: {} });
  const [file, ...more] = positionals;
  if (action !== 'verify' || file === undefined || more.length > 0) throw usage('ashlar approvals verify FILE');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`there is no file ${file}`);
  });
  try {
    const approval = verifyApproval(jsonOf(text));
    printJson(terminal, { verified: true, ...present(approval) });
    terminal.err(
      'Who the keys belong to, and which roles and groups people had, is what the service says: compare the key ids with your own list.',
    );
    if (approval.status === 'approved') return 0;
    terminal.err(`ashlar: the file is genuine, and it is not approved: it is ${approval.status}`);
    return 1;
  } catch (error) {
    if (!(error instanceof ApprovalRefused)) throw error;
    const { message, vote } = error;
    printJson(terminal, { verified: false, vote, problem: message });
    terminal.err(`ashlar: ${vote === null ? '' : `vote ${vote}: `}${message}`);
    return 1;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApprovalRefused('the file is no JSON');
  }
}

/** What people look at. */
const said = (signs: VerifiedApproval['text']['signs']) => {
  if ('transaction' in signs) {
    const { unsigned_txid, outputs, fee } = signs;
    return { ...('proposal' in signs && { proposal: signs.proposal }), unsigned_txid, outputs, fee };
  }
  if (signs.kind === 'contract') return { contract_id: signs.contract_id, offer: signs.offer, accept: signs.accept };
  return { signs };
};

const present = ({ text, digest, status, met, votes }: VerifiedApproval) => ({
  approval_id: text.approval_id,
  ...{ status, digest, requirements_met: met, operation: text.operation, initiator: text.initiator },
  ...said(text.signs),
  votes: votes.map(({ decision, voice, keyId, counted, at }) => ({ decision, voice, key_id: keyId, counted, at })),
});
