import { initEccLib } from 'bitcoinjs-lib';
import { createSecp256k1 } from './create-secp256k1.ts';
import type { Secp256k1 } from './secp256k1.ts';

/**
 * The curve, once for the process: hand it to BIP32Factory, ECPairFactory and DescriptorsFactory. Importing this module also tells
 * bitcoinjs-lib, whose taproot payments and address codec keep their curve in a module of their own. Stateless, so not a service.
 */
export const ecc: Secp256k1 = createSecp256k1();
initEccLib(ecc);
