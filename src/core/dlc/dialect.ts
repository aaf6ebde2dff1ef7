/**
 * Where the specification, its test vectors and the implementations in use differ, one name decides.
 * `tagged`: as dlcdevkit, rust-dlc and bitcoin-s do today, and what is spoken unless said. `dlcspecs-vectors`: as the full contracts
 * in dlcspecs' test vectors were made; for checking against them.
 */
export const DIALECTS = ['tagged', 'dlcspecs-vectors'] as const;
export type Dialect = (typeof DIALECTS)[number];
