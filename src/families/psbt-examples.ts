/** Requests and answers of the documentation: the PSBT of one input and one output whose key is the number 1, on regtest. */
const UNSIGNED =
  'cHNidP8BAgQCAAAAAQQBAQEFAQEB+wQCAAAAAAEBH0BCDwAAAAAAFgAUdR526BmRltRUlBxF0bOjI/FDO9YiBgJ5vmZ++dy7rFWgYpXOhwsHApv82y3OKNlZ8oFbFvgXmBjTTbM/VAAAgAEAAIAAAACAAAAAAAUAAAABDiCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urqwEPBAAAAAAAAQMIMBsPAAAAAAABBBYAFHUedugZkZbUVJQcRdGzoyPxQzvWAA==';

/** The same without what signers need. */
const BARE =
  'cHNidP8BAgQCAAAAAQQBAQEFAQEB+wQCAAAAAAEOIKurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urAQ8EAAAAAAABAwgwGw8AAAAAAAEEFgAUdR526BmRltRUlBxF0bOjI/FDO9YA';

export const SIGNED_EXAMPLE =
  'cHNidP8BAgQCAAAAAQQBAQEFAQEB+wQCAAAAAAEBH0BCDwAAAAAAFgAUdR526BmRltRUlBxF0bOjI/FDO9YiAgJ5vmZ++dy7rFWgYpXOhwsHApv82y3OKNlZ8oFbFvgXmEcwRAIgYmw3HNw744AtFGhxFIH4oodgCflVUAwlg1KQVZhPUUsCIFsxIhBZoun3nX6t1oLm67H3l42E45lb6Nj1YNe2pYJjASIGAnm+Zn753LusVaBilc6HCwcCm/zbLc4o2VnygVsW+BeYGNNNsz9UAACAAQAAgAAAAIAAAAAABQAAAAEOIKurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urAQ8EAAAAAAABAwgwGw8AAAAAAAEEFgAUdR526BmRltRUlBxF0bOjI/FDO9YA';

export const FINAL_EXAMPLE =
  'cHNidP8BAgQCAAAAAQQBAQEFAQEB+wQCAAAAAAEBH0BCDwAAAAAAFgAUdR526BmRltRUlBxF0bOjI/FDO9YBCGsCRzBEAiBibDcc3DvjgC0UaHEUgfiih2AJ+VVQDCWDUpBVmE9RSwIgWzEiEFmi6fedfq3WgubrsfeXjYTjmVvo2PVg17algmMBIQJ5vmZ++dy7rFWgYpXOhwsHApv82y3OKNlZ8oFbFvgXmAEOIKurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urAQ8EAAAAAAABAwgwGw8AAAAAAAEEFgAUdR526BmRltRUlBxF0bOjI/FDO9YA';

/** The unsigned one in version 0. */
export const MIGRATE_EXAMPLE =
  'cHNidP8BAFICAAAAAaurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urAAAAAAD/////ATAbDwAAAAAAFgAUdR526BmRltRUlBxF0bOjI/FDO9YAAAAAAAEBH0BCDwAAAAAAFgAUdR526BmRltRUlBxF0bOjI/FDO9YiBgJ5vmZ++dy7rFWgYpXOhwsHApv82y3OKNlZ8oFbFvgXmBjTTbM/VAAAgAEAAIAAAACAAAAAAAUAAAAAAA==';

/** Two that may be added to. */
export const JOIN_EXAMPLE = [
  'cHNidP8BAgQCAAAAAQQBAQEFAQEBBgEDAfsEAgAAAAABDiCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urqwEPBAAAAAAAAQMIMBsPAAAAAAABBBYAFHUedugZkZbUVJQcRdGzoyPxQzvWAA==',
  'cHNidP8BAgQCAAAAAQQBAQEFAQEBBgEDAfsEAgAAAAABDiDNzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3NzQEPBAAAAAAAAQMIMBsPAAAAAAABBBYAFHUedugZkZbUVJQcRdGzoyPxQzvWAA==',
];

/** The private key 1: everybody knows it. */
export const EXAMPLE_KEY = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const FACTS = {
  witness_utxo: { address: ADDRESS, amount: '0.01' },
  bip32_derivation: [
    {
      pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
      fingerprint: 'd34db33f',
      path: 'm/84h/1h/0h/0/5',
    },
  ],
};

export const CREATE_EXAMPLE = {
  inputs: [{ txid: 'ab'.repeat(32), vout: 0, ...FACTS }],
  outputs: [{ address: ADDRESS, amount: '0.0099' }],
  version: 2,
};

export const UPDATE_EXAMPLE = { psbt: BARE, inputs: [{ index: 0, ...FACTS }] };

export const CONSTRUCT_EXAMPLE = {
  psbt: JOIN_EXAMPLE[0],
  add_outputs: [{ address: ADDRESS, amount: '0.001' }],
  remove_outputs: [0],
};

export const PSBT_EXAMPLE = {
  psbt: UNSIGNED,
  version: 2,
  complete: false,
  fee: '0.00010000',
  fee_verified: false,
  unsigned_txid: 'b01e57bdd63b29ec27e831e001b7aa4f2a4c2ba7a4abc350d50bc5a3f85eb4b1',
  unsigned_transaction:
    '0200000001abababababababababababababababababababababababababababababababab0000000000ffffffff01301b0f0000000000160014751e76e8199196d454941c45d1b3a323f1433bd600000000',
  locktime: 0,
  fallback_locktime: null,
  tx_version: 2,
  tx_modifiable: {
    inputs: false,
    outputs: false,
    has_sighash_single: false,
  },
  inputs: [
    {
      txid: 'abababababababababababababababababababababababababababababababab',
      vout: 0,
      sequence: 4294967295,
      required_time_locktime: null,
      required_height_locktime: null,
      address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      amount: '0.01000000',
      amount_verified: false,
      script_pubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
      script: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
      script_type: 'p2wpkh',
      redeem_script: null,
      witness_script: null,
      sighash_type: null,
      derivations: [
        {
          pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
          fingerprint: 'd34db33f',
          path: 'm/84h/1h/0h/0/5',
          leaf_hashes: null,
        },
      ],
      signatures: [],
      required_signatures: 1,
      missing: [
        {
          pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
          fingerprint: 'd34db33f',
          path: 'm/84h/1h/0h/0/5',
        },
      ],
      lacks: 'one signature',
      finalized: false,
      derived_by: null,
    },
  ],
  outputs: [
    {
      address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      amount: '0.00990000',
      script_pubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
      script: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
      script_type: 'p2wpkh',
      redeem_script: null,
      witness_script: null,
      derivations: [],
      change: null,
      derived_by: null,
    },
  ],
  warnings: ['the fee of 0.00010000 BTC is as the PSBT says: 1 input comes without its previous transaction'],
};

const FRAMES = [
  'UR:PSBT/1-2/LPADAOCSSFCYATWMZELDHDIYHDSGJOJKIDJYZMADAOAAAOAEAEAEADAAADADADAHADADADZOAAAOAEAEAEAEADADCTFZFWBSAEAEAEAEAECMAEBBKPCKKOVSCFMEMTTYGHMWCEFETTQDOTCNWNFXFRTBCPAMAOKKRNIYKBYTUORKPSGONBIDMDTOLTBDATAONDZTUYDPTODETAHKWZLYHPCMYACHMKCSTEGTJKEEZMTD',
  'UR:PSBT/2-2/LPAOAOCSSFCYATWMZELDHDIYQDFHGHAEAELAADAEAELAAEAEAELAAEAEAEAEAHAEAEAEADBACXPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYPYADBSAAAEAEAEAEAEADAXAYDYCWBSAEAEAEAEAEADAACMAEBBKPCKKOVSCFMEMTTYGHMWCEFETTQDOTCNWNFXFRTBAERFLNLSLY',
];

export const FRAMES_EXAMPLE = {
  format: 'ur',
  needed: FRAMES.length,
  qr_version: null,
  frames: FRAMES.map((text) => ({ text, image: null })),
};

export const SCAN_EXAMPLE = {
  format: 'ur',
  total: FRAMES.length,
  received: FRAMES.length,
  missing: [],
  psbt: UNSIGNED,
  version: 2,
  transaction: null,
};

const INPUT = PSBT_EXAMPLE.inputs[0];
const OUTPUT = PSBT_EXAMPLE.outputs[0];
const WITHOUT_UTXO = {
  ...INPUT,
  address: null,
  amount: null,
  script_pubkey: null,
  script: null,
  script_type: null,
  derivations: [],
  required_signatures: null,
  missing: [],
  lacks: 'its UTXO is missing',
};

export const CONSTRUCTED_ANSWER = {
  ...PSBT_EXAMPLE,
  psbt: 'cHNidP8BAgQCAAAAAQQBAQEFAQEBBgEDAfsEAgAAAAABDiCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urqwEPBAAAAAAAAQMIoIYBAAAAAAABBBYAFHUedugZkZbUVJQcRdGzoyPxQzvWAA==',
  fee: null,
  unsigned_txid: '9e83b691292f5b7d6108f9d5cfe2cfee181124cd20bb26cdad9d51ae5beb640a',
  tx_modifiable: { inputs: true, outputs: true, has_sighash_single: false },
  inputs: [WITHOUT_UTXO],
  outputs: [{ ...OUTPUT, amount: '0.00100000' }],
  warnings: [],
};

export const SIGNED_ANSWER = {
  ...PSBT_EXAMPLE,
  psbt: SIGNED_EXAMPLE,
  inputs: [
    {
      ...INPUT,
      signatures: [
        {
          pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
          fingerprint: 'd34db33f',
          leaf_hash: null,
          sighash_type: 'ALL',
          valid: true,
        },
      ],
      missing: [],
      lacks: 'nothing but being finalized',
    },
  ],
  signed_inputs: [0],
};

export const JOINED_ANSWER = {
  ...PSBT_EXAMPLE,
  psbt: 'cHNidP8BAgQCAAAAAQQBAgEFAQIBBgEDAfsEAgAAAAABDiCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urqwEPBAAAAAAAAQ4gzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc0BDwQAAAAAAAEDCDAbDwAAAAAAAQQWABR1HnboGZGW1FSUHEXRs6Mj8UM71gABAwgwGw8AAAAAAAEEFgAUdR526BmRltRUlBxF0bOjI/FDO9YA',
  fee: null,
  unsigned_txid: '854a200ba407454c639af11e17e877e2f521eb97737a427540ae8b268bf50c64',
  tx_modifiable: { inputs: true, outputs: true, has_sighash_single: false },
  inputs: [
    WITHOUT_UTXO,
    {
      ...WITHOUT_UTXO,
      txid: 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',
    },
  ],
  outputs: [{ ...OUTPUT }, { ...OUTPUT }],
  warnings: [],
};

export const EXTRACTED_ANSWER = {
  ...PSBT_EXAMPLE,
  psbt: FINAL_EXAMPLE,
  complete: true,
  inputs: [{ ...INPUT, derivations: [], required_signatures: null, missing: [], lacks: null, finalized: true }],
  txid: 'b01e57bdd63b29ec27e831e001b7aa4f2a4c2ba7a4abc350d50bc5a3f85eb4b1',
  transaction:
    '02000000000101abababababababababababababababababababababababababababababababab0000000000ffffffff01301b0f0000000000160014751e76e8199196d454941c45d1b3a323f1433bd6024730440220626c371cdc3be3802d1468711481f8a2876009f955500c2583529055984f514b02205b31221059a2e9f79d7eadd682e6ebb1f7978d84e3995be8d8f560d7b6a5826301210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179800000000',
  vsize: 110,
};

export const FINALIZED_ANSWER = { ...EXTRACTED_ANSWER, not_final: [] };

export const VERIFIED_ANSWER = {
  ...PSBT_EXAMPLE,
  valid: true,
  checks: [
    { check: 'outpoints', input: null, output: null, verdict: 'passed', detail: 'every input spends another output' },
    { check: 'locktime', input: null, output: null, verdict: 'passed', detail: 'there is no locktime' },
    {
      check: 'fee',
      input: null,
      output: null,
      verdict: 'warning',
      detail: 'the fee of 0.00010000 BTC is as the PSBT says: 1 input comes without its previous transaction',
    },
    { check: 'utxo', input: 0, output: null, verdict: 'passed', detail: 'its amount and script are as the PSBT says' },
    {
      check: 'scripts',
      input: 0,
      output: null,
      verdict: 'passed',
      detail: 'its scripts are those that its output pays to',
    },
    { check: 'output', input: null, output: 0, verdict: 'passed', detail: 'its script is of a standard form' },
    { check: 'dust', input: null, output: 0, verdict: 'passed', detail: 'it is above the dust limit' },
  ],
};

export const MIGRATED_ANSWER = {
  ...PSBT_EXAMPLE,
  psbt: 'cHNidP8BAgQCAAAAAQMEAAAAAAEEAQEBBQEBAfsEAgAAAAABAR9AQg8AAAAAABYAFHUedugZkZbUVJQcRdGzoyPxQzvWIgYCeb5mfvncu6xVoGKVzocLBwKb/NstzijZWfKBWxb4F5gY002zP1QAAIABAACAAAAAgAAAAAAFAAAAAQ4gq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6sBDwQAAAAAARAE/////wABAwgwGw8AAAAAAAEEFgAUdR526BmRltRUlBxF0bOjI/FDO9YA',
  fallback_locktime: 0,
};
