/** The first thing that is wrong; `place`: with what, as `vote 3`. */
export class RecountRefused extends Error {
  readonly place: string | null;
  constructor(message: string, place: string | null = null) {
    super(message);
    this.name = 'RecountRefused';
    this.place = place;
  }
}
