/** What a person logs in with. Names are compared folded: no two people differ by case or by how a character was typed. */

/** 3 to 64 of ASCII letters, digits, `.`, `_` and `-`; no `@`, so that none looks like an e-mail address. */
export const USERNAME_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}[A-Za-z0-9]$/;

export const foldLoginName = (name: string): string => name.normalize('NFKC').trim().toLowerCase();
