/** A doubly linked list: whoever stands in it leaves from anywhere at the same cost, however many there are. */
export interface Place<T> {
  readonly value: T;
  before: Place<T> | null;
  behind: Place<T> | null;
}

export interface Line<T> {
  first(): Place<T> | null;
  push(value: T): Place<T>;
  /** Once for each place. */
  remove(place: Place<T>): void;
}

export function createLine<T>(): Line<T> {
  let [first, last]: (Place<T> | null)[] = [null, null];
  return {
    first: () => first ?? null,
    push(value) {
      const place: Place<T> = { value, before: last ?? null, behind: null };
      if (last) last.behind = place;
      else first = place;
      last = place;
      return place;
    },
    remove(place) {
      const { before, behind } = place;
      if (before) before.behind = behind;
      else first = behind;
      if (behind) behind.before = before;
      else last = before;
    },
  };
}
