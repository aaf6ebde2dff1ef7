/** Two signers whose private keys are 1 and 2: the first gives nonce and partial signature, the second has the service sign. */
const FIRST = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const SECOND = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const NONCES = [
  '0301667c68941f5e7821b1ec9da1035b36eeb4e29d7b77d1669ad01b8497a00dae03f320f5cc74bc382314a33e533eddb67abef044401033f765e7c6559b6a7a40d7',
  '027e99e1b9824d4b721ae8f4794ba23c787aaeec585e57026858b4602aa615238d035e6f356b347db3d2378e490fa843901e2416cd7885b1a1c5813f471b025761f1',
] as const;
const PARTIALS = [
  '1fba7779639a3be2d523d897b55c3aada86db47d010f10c2a5174f896be8618b',
  'a9e868584524a8725a4115c19d13fbc0b88498d4624d3eb92910a736f893fb06',
] as const;

const none = { public_nonce: null, partial_signature: null };
export const newSessionExample = {
  musig_session_id: 'mus_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'Joint account',
  external_id: null,
  state: 'awaiting_nonces',
  message: '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
  sorted: true,
  tweaks: [],
  taproot: { merkle_root: null, tweak: '915fb45bb4ccc705a7738469d8bfb80389d7b6cd09ed46e2c04bbb4c324163a6' },
  participants: [
    { public_key: FIRST, ...none },
    { public_key: SECOND, ...none },
  ],
  aggregate_key: 'abe9374e60e4518ffbc619b0dcbd8e56a58a253dcd2afed1f8deb094e0c682ec',
  internal_key: '3b46d262d2f610e9038b44beabdfe97ab5a0feb89870acc2264edfb7f63ec2ec',
  address: 'bcrt1p405nwnnqu3gcl77xrxcde0vw26jc5ffae540a50cm6cffcxxstkq76jhsj',
  aggregate_nonce: null,
  signature: null,
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};

export const newSessionBody = {
  public_keys: [FIRST, SECOND],
  message: newSessionExample.message,
  taproot: { merkle_root: null },
  name: newSessionExample.name,
};

export const nonceBody = { public_key: FIRST, public_nonce: NONCES[0] };
export const withNonceExample = {
  ...newSessionExample,
  participants: [
    { public_key: FIRST, public_nonce: NONCES[0], partial_signature: null },
    { public_key: SECOND, ...none },
  ],
};

export const keyBody = { key: '0000000000000000000000000000000000000000000000000000000000000002' };
export const signedByLastExample = {
  ...newSessionExample,
  state: 'awaiting_signatures',
  participants: [
    { public_key: FIRST, public_nonce: NONCES[0], partial_signature: null },
    { public_key: SECOND, public_nonce: NONCES[1], partial_signature: PARTIALS[1] },
  ],
  aggregate_nonce:
    '03a2ace77d8af30e007790c3f28bc1cb953e8dd885c264a0f18c8ec4238726ff8a02700b3a91e1da407feded58b84748582779c612fa3e5c7f17e8d3544b802552f0',
};

export const partialSignatureBody = { public_key: FIRST, partial_signature: PARTIALS[0] };
export const completeExample = {
  ...signedByLastExample,
  state: 'complete',
  participants: signedByLastExample.participants.map((one, signer) => ({
    ...one,
    partial_signature: PARTIALS[signer] as string,
  })),
  signature:
    '9ae42fae6c966f73275961b06a273fd3e4dcb3bc648d963d0da46e3dd5622d1fa08d8dac210dc4555b1b8d7c121b3ed159806e1c7ecc8546d32d9d842163614b',
};
