/** Answers like the operator command (docs/operations.md). */
const [noun, verb] = process.argv.slice(2);
/** @type {Record<string, object>} */
const answers = {
  'merchant create': { merchantId: 'merchant-1' },
  'settings set': { customMode: 'on' },
  'dashboard link': { url: 'http://localhost:3000/dashboard/link/standin' },
  'key create': { keyId: 'key-1', apiKey: 'cps_sandbox_standin' },
};
process.stdout.write(`${JSON.stringify(answers[`${noun} ${verb}`])}\n`);
