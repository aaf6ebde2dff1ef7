/**
 * Writes the vectors beside it out of their sources, as figures: hex, flags, numbers, verdicts. By hand, where a source has grown:
 *
 *   node test/vectors/make.ts <checkout of bitcoin/bitcoin> <of bitcoin/bips> <of discreetlogcontracts/dlcspecs>
 *
 * The first line of each file names its source, revision and licence, the second its columns.
 */
import { writeFileSync } from 'node:fs';
import { psbtRows, schnorrRows, walletRows } from './make/bips.ts';
import { descriptorRows, miniscriptRows } from './make/core-calls.ts';
import { keyRows, scriptRows, signatureHashRows, transactionRows } from './make/core-tables.ts';
import { adaptorRows, contractIdRows, contractRows, feeRows, oracleSignatureRows, textRows } from './make/dlcspecs.ts';

const SOURCES = {
  core: 'bitcoin/bitcoin 70d9ec7f3d (2026-07-15), MIT',
  bip174: 'bitcoin/bips 7fe0b034 (2026-08-20), BIP174, BIP370 and BIP371, BSD-2-Clause',
  bip340: 'bitcoin/bips 7fe0b034 (2026-08-20), BIP340, BSD-2-Clause',
  bip341: 'bitcoin/bips 7fe0b034 (2026-08-20), BIP341, BSD-3-Clause',
  dlcspecs: 'discreetlogcontracts/dlcspecs 9cd91489 (2023-02-13), CC-BY-4.0',
};

const [core, bips, dlcspecs] = process.argv.slice(2);
if (!core || !bips || !dlcspecs) throw new Error('give the checkouts of bitcoin, bips and dlcspecs');

type Row = readonly (string | number | bigint)[];
function write(name: string, source: keyof typeof SOURCES, columns: string, rows: readonly Row[]): void {
  const lines = rows.map((row) => row.map((field) => (field === '' ? '-' : `${field}`)).join(' '));
  const head = [`# ${SOURCES[source]}`, `# ${columns}`];
  writeFileSync(new URL(`${name}.txt`, import.meta.url), `${[...head, ...lines].join('\n')}\n`);
}

write('core-scripts', 'core', 'scriptSig scriptPubKey flags verdict [satoshis, witness items]', scriptRows(core));
write(
  'core-transactions',
  'core',
  'verdict flags transaction outputs; flags: those that must be left out, where it is valid; output: txid:vout:script:satoshis',
  transactionRows(core),
);
write('core-signature-hashes', 'core', 'transaction script index type hash', signatureHashRows(core));
write('core-keys', 'core', 'chain kind script-or-key text; case: valid with its case flipped, too', keyRows(core));
write('core-miniscripts', 'core', 'P2WSH-script tapscript properties expression', miniscriptRows(core));
write('core-descriptors', 'core', 'verdict scripts-by-index descriptor', descriptorRows(core));
write('bip340', 'bip340', 'index secret public aux message signature verdict', schnorrRows(bips));
write('bip341', 'bip341', 'JSON: outputs, then the spending transaction', walletRows(bips));
write('psbts', 'bip174', 'BIP kind PSBT; kind: locktime:the one expected', psbtRows(bips));
write('dlc-contract-ids', 'dlcspecs', 'funding-txid vout temporary-id contract-id', contractIdRows(dlcspecs));
write('dlc-fees', 'dlcspecs', 'rate, then offer and accept: inputs payout change funding closing', feeRows(dlcspecs));
write('dlc-texts', 'dlcspecs', 'normalized sha256 texts, all UTF-8', textRows(dlcspecs));
write('dlc-oracle-signatures', 'dlcspecs', 'secret nonce hash public r signature point', oracleSignatureRows(dlcspecs));
write(
  'dlc-adaptor-signatures',
  'dlcspecs',
  'kind verdict adaptor hash public point scalar signature',
  adaptorRows(dlcspecs),
);
write('dlc-contracts', 'dlcspecs', 'name, JSON of offer, accept and sign: message, bytes', contractRows(dlcspecs));
