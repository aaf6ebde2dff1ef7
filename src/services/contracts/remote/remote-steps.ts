/** What the driver does of contracts with somebody elsewhere: the signing that a request began. The rest waits for the other side. */
import type { ContractStep } from '../driver/contract-step.ts';
import { isAccepting, type MakeAccept } from './answers/make-accept.ts';
import { isSigning, type TakeAccept } from './answers/take-accept.ts';

export const remoteSteps = (makeAccept: MakeAccept, takeAccept: TakeAccept): ContractStep[] => [
  { name: 'accept an offer', long: true, wants: isAccepting, run: makeAccept.finish },
  { name: 'sign what was accepted', long: true, wants: isSigning, run: takeAccept.finish },
];
