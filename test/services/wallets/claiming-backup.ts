/** A backup that says by itself how many addresses were given out. */
import { CompactEncrypt } from 'jose';

export const PASSPHRASE = 'correct horse battery staple';
const TPUB =
  'tpubDCdxmvzJ5QBjTN8oCjjyT2V58AyZvA1fkmCeZRC75QMoaHcVP2m45Bv3hmnR7ttAwkb2UNYyoXdHVt4gwBqRrJqLUU2JrM43HippxiWpHra';

export const backupNaming = (nextExternalIndex: number, nextInternalIndex: number, labels = '') =>
  new CompactEncrypt(
    Buffer.from(
      JSON.stringify({
        ...{
          format: 'ashlar-wallet-backup',
          version: 1,
          name: 'w',
          type: 'watch-only',
          network: 'regtest',
          seed: null,
        },
        ...{ externalDescriptor: `wpkh(${TPUB}/0/*)`, internalDescriptor: `wpkh(${TPUB}/1/*)`, birthdayHeight: 0 },
        ...{ labels, nextExternalIndex, nextInternalIndex },
      }),
    ),
  )
    .setProtectedHeader({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM' })
    .setKeyManagementParameters({ p2c: 1_000 })
    .encrypt(Buffer.from(PASSPHRASE));
