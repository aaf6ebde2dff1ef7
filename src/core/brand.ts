declare const brand: unique symbol;
/** A nominal type: a T that only its own constructor makes. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
