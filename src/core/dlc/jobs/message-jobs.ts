/** What is looked at in messages, with plain data in and out as in dlc-jobs.ts: announcements, coins and witnesses by the hundred. */

import type { ContractCheck } from '../contract/contract-check.ts';
import { type CheckContext, checkAccept, checkMessages, checkOffer, checkSign } from '../contract/contract-checks.ts';
import type { Dialect } from '../dialect.ts';
import { parseAccept } from '../messages/accept.ts';
import { parseOffer } from '../messages/offer.ts';
import { parseSign } from '../messages/sign.ts';

/** On the wire. */
export interface Messages {
  readonly offer: Uint8Array;
  readonly accept?: Uint8Array | undefined;
  readonly sign?: Uint8Array | undefined;
  readonly dialect: Dialect;
}

export type MessagesParams = Messages & {
  /** One of them, where those before it have passed. */
  readonly only?: 'offer' | 'accept' | 'sign';
  readonly context: CheckContext;
};

export const messageJobs = {
  /** Every check of them but those of points and adaptor signatures. Throws DlcMessageError for bytes that are none. */
  'messages.check'({ only, context, ...messages }: MessagesParams): ContractCheck[] {
    const { offer, accept, sign } = readMessages(messages);
    if (only === 'offer') return checkOffer(offer, context);
    if (only === undefined) return checkMessages({ offer, accept, sign }, context);
    if (accept === undefined) throw new TypeError('there is no accept message');
    if (only === 'accept') return checkAccept(offer, accept, context);
    if (sign === undefined) throw new TypeError('there is no sign message');
    return checkSign(offer, accept, sign, context);
  },
};

export type MessageJobs = typeof messageJobs;

export const readMessages = ({ offer, accept, sign, dialect }: Messages) => ({
  offer: parseOffer(offer, dialect),
  accept: accept && parseAccept(accept, dialect),
  sign: sign && parseSign(sign, dialect),
});

/** Looked at in some milliseconds, whatever they say. */
const FEW_BYTES = 4_096;
export const areFewBytes = ({ offer, accept, sign }: Messages): boolean =>
  offer.length + (accept?.length ?? 0) + (sign?.length ?? 0) <= FEW_BYTES;
