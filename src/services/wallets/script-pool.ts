/** Scripts beyond the highest reserved or used one that are derived and watched (BIP44's gap limit). */
export const GAP_LIMIT = 20;

/** A change script for a payment being built: taken in memory, so that no other payment of this process gets the same, or shared. */
export interface ChangeLease {
  readonly index: number;
  readonly change: boolean;
  readonly scriptPubKey: string;
  readonly address: string;
  /** Not taken, so never given back: a dry run's, or one given out before where there is no other, or no room to watch another. */
  readonly shared: boolean;
}
