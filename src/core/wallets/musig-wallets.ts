/** Wallets of one aggregate key, whose participants all sign (BIP390, BIP328). */
import { DomainError } from '../errors.ts';
import { canBeSignedTogether } from '../psbt/musig/musig-targets.ts';

/** How many keys the descriptor has within musig(), over all of them; 0 where it has none. */
export const participantsOf = (descriptor: string): number =>
  [...descriptor.matchAll(/musig\(([^()]*)\)/g)].reduce((sum, [, keys]) => sum + (keys as string).split(',').length, 0);

/** Throws `too_large` where so many inputs could never be signed in one request. */
export function refuseTooManyShares(descriptor: string, inputs: number): void {
  const participants = participantsOf(descriptor);
  if (participants === 0 || canBeSignedTogether(inputs, participants)) return;
  throw new DomainError(
    'too_large',
    `${participants} participants would sign ${inputs} inputs in two rounds, more than one PSBT is checked for: spend fewer coins at once (coin_control)`,
    { field: 'recipients' },
  );
}
