/** A check failed; `place`: in which member of the file, as `proofs[2]`. */
export class ReservesRefused extends Error {
  readonly place: string | null;
  constructor(message: string, place: string | null = null) {
    super(message);
    this.name = 'ReservesRefused';
    this.place = place;
  }
}
