/** A true announcement with two attestations of it: what an oracle must never give. */
const ORACLE_ID = 'ora_3mVb1k7Q2xYt9LpRw0Zc5A';
const PUBLIC_KEY = '6777bea988b39c3ee6ffcfe95088e70bc6e82453a33d080e146bde502d296a42';
const NONCE = '4c6268fb54e48a3adf7d2bcd120fe4a9ad014d0702938f71f5813b595e364d72';
const ANNOUNCEMENT_SIGNATURE =
  '3bddaae2d229062005d4ac249f7b4fdf8b1520c7d549fab381969e8397cb1d169a89a67207410e94bec15d11a36ab4df54018e6844c3f393dea5645608e50fe2';
export const ANNOUNCEMENT_HEX =
  'fdd824aa3bddaae2d229062005d4ac249f7b4fdf8b1520c7d549fab381969e8397cb1d169a89a67207410e94bec15d11a36ab4df54018e6844c3f393dea5645608e50fe26777bea988b39c3ee6ffcfe95088e70bc6e82453a33d080e146bde502d296a42fdd8224600014c6268fb54e48a3adf7d2bcd120fe4a9ad014d0702938f71f5813b595e364d726ae729c0fdd80611000304686f6d65046472617704617761790a66696e616c2d32303236';
export const ATTESTATION_HEX =
  'fdd868740a66696e616c2d323032366777bea988b39c3ee6ffcfe95088e70bc6e82453a33d080e146bde502d296a4200014c6268fb54e48a3adf7d2bcd120fe4a9ad014d0702938f71f5813b595e364d7298ddaa8a41ea1fcb3e892dad0f367dc350e5824a396684040e180288ff87c573000104686f6d65';
export const OTHER_ATTESTATION_HEX =
  'fdd868740a66696e616c2d323032366777bea988b39c3ee6ffcfe95088e70bc6e82453a33d080e146bde502d296a4200014c6268fb54e48a3adf7d2bcd120fe4a9ad014d0702938f71f5813b595e364d724749545473b4cbd9d7a8d0be820488d5054b5d7c6f09887d604b8588c83a7da100010461776179';
const ATTESTATION_SIGNATURE =
  '4c6268fb54e48a3adf7d2bcd120fe4a9ad014d0702938f71f5813b595e364d7298ddaa8a41ea1fcb3e892dad0f367dc350e5824a396684040e180288ff87c573';
const MADE_AT = '2026-10-20T09:30:00.000Z';

export const oracleExample = {
  oracle_id: ORACLE_ID,
  name: 'Football',
  external_id: null,
  type: 'external' as const,
  default: false,
  public_key: PUBLIC_KEY,
  url: 'https://oracle.example.com',
  equivocated_at: null,
  nonce_reused_at: null,
  created_at: MADE_AT,
  updated_at: MADE_AT,
};

export const eventExample = {
  oracle_id: ORACLE_ID,
  event_id: 'final-2026',
  oracle_public_key: PUBLIC_KEY,
  maturity: '2026-11-01T12:00:00.000Z',
  descriptor: {
    type: 'enum' as const,
    outcomes: ['home', 'draw', 'away'],
    base: null,
    signed: null,
    unit: null,
    precision: null,
    digits: null,
  },
  nonces: [NONCE],
  signature: ANNOUNCEMENT_SIGNATURE,
  announcement: ANNOUNCEMENT_HEX,
  proof: null,
  outcome: null,
  committed_at: null,
  frozen_at: null,
  created_at: MADE_AT,
};

export const attestationExample = {
  attestation_id: 'att_3mVb1k7Q2xYt9LpRw0Zc5A',
  oracle_id: ORACLE_ID,
  oracle_public_key: PUBLIC_KEY,
  event_id: 'final-2026',
  outcome: 'home',
  outcomes: ['home'],
  signatures: [ATTESTATION_SIGNATURE],
  attestation: ATTESTATION_HEX,
  source: 'posted' as const,
  equivocation: null,
  created_at: '2026-11-01T14:05:00.000Z',
};
